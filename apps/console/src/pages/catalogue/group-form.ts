import type { Group } from '../../api/catalogue.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';

interface Fallback {
  readonly model: string;
  readonly fallbackModels: readonly string[];
}

/** A group as its form holds it. */
export interface GroupFormValues {
  readonly name: string;
  readonly description: string;
  readonly ratio: string;
  readonly everyModel: boolean;
  readonly models: readonly string[];
  readonly fallbacks: readonly Fallback[];
  readonly tags: readonly string[];
  readonly limits: LimitForm;
}

export const toGroupForm = (group: Group | undefined): GroupFormValues => ({
  name: group?.name ?? '',
  description: group?.description ?? '',
  ratio: group?.ratio ?? '1',
  everyModel: group?.models.includes('*') ?? true,
  models: group?.models.filter((model) => model !== '*') ?? [],
  fallbacks: Object.entries(group?.fallbacks ?? {}).map(([model, fallbackModels]) => ({
    model,
    fallbackModels,
  })),
  tags: group?.required_tags ?? [],
  limits: toLimitForm(group?.limits),
});

export const toGroup = (form: GroupFormValues): Group => ({
  name: form.name.trim(),
  description: form.description.trim(),
  ratio: form.ratio.trim(),
  models: form.everyModel ? ['*'] : [...form.models],
  fallbacks: Object.fromEntries(
    form.fallbacks
      .filter(({ model, fallbackModels }) => model !== '' && fallbackModels.length > 0)
      .map(({ model, fallbackModels }) => [model, [...fallbackModels]]),
  ),
  required_tags: [...form.tags],
  limits: toLimit(form.limits),
});

/** A decimal such as "0.85", as the relay takes ratios. */
export const isRatio = (text: string): boolean => /^\d{1,6}(\.\d{1,9})?$/.test(text.trim());

type GroupFault = 'nameRequired' | 'nameTaken' | 'ratioRequired' | 'modelsRequired' | 'twice';

/** What is wrong in a form, by the path of the field. */
export function groupFaults(form: GroupFormValues, taken: ReadonlySet<string>): Record<string, GroupFault> {
  const faults: Record<string, GroupFault> = {};
  if (form.name.trim() === '') faults['name'] = 'nameRequired';
  if (taken.has(form.name.trim())) faults['name'] = 'nameTaken';
  if (!isRatio(form.ratio)) faults['ratio'] = 'ratioRequired';
  if (!form.everyModel && form.models.length === 0) faults['models'] = 'modelsRequired';
  form.fallbacks.forEach(({ model }, index) => {
    const isTwice = form.fallbacks.findIndex((each) => each.model === model) < index;
    if (model !== '' && isTwice) faults[`fallbacks.${index}.model`] = 'twice';
  });
  return faults;
}
