import { COSTLY_FEATURES, type CostlyFeature } from '@tollgate/vocabulary';
import type { Model } from '../../api/catalogue.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';
import {
  emptyPrices,
  parseMicro,
  type PriceTexts,
  parsePrices,
  toTexts,
  toUsd,
  wrongKinds,
} from './prices.ts';

interface TierForm {
  readonly above: number | string;
  readonly prices: PriceTexts;
}

/** A model as its form holds it. */
export interface ModelForm {
  readonly name: string;
  readonly vendor: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly prices: PriceTexts;
  readonly tiers: readonly TierForm[];
  readonly requestPrice: string;
  readonly context: number | string;
  readonly maxOutput: number | string;
  readonly limits: LimitForm;
  readonly freeFeatures: readonly CostlyFeature[];
  /** JSON, or empty. */
  readonly dialect: string;
  /** Whether it is made just now. */
  readonly isNew: boolean;
}

export const toModelForm = (model: Model | undefined, firstVendor: string): ModelForm => ({
  name: model?.name ?? '',
  vendor: model?.vendor ?? firstVendor,
  description: model?.description ?? '',
  tags: model?.tags ?? [],
  prices: model ? toTexts(model.prices) : emptyPrices,
  tiers: (model?.tiers ?? []).map(({ above_input_tokens, prices }) => ({
    above: above_input_tokens,
    prices: toTexts(prices),
  })),
  requestPrice: model && model.request_price > 0 ? toUsd(model.request_price) : '',
  context: model?.context_window ?? '',
  maxOutput: model?.max_output_tokens ?? '',
  limits: toLimitForm(model?.limits),
  freeFeatures: COSTLY_FEATURES.filter((feature) => model?.features?.[feature] === 'free'),
  dialect: model?.dialect ? JSON.stringify(model.dialect, null, 2) : '',
  isNew: model === undefined,
});

const orNull = (value: number | string): number | null => (value === '' ? null : Number(value));

function toDialect({ dialect }: ModelForm): Pick<Model, 'dialect'> {
  const stated = parseDialect(dialect);
  return stated && Object.keys(stated).length > 0 ? { dialect: stated } : {};
}

/** Undefined for what is no JSON object; the names in it are looked at when the draft is checked. */
function parseDialect(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The model that a form without faults states. */
export const toModel = (form: ModelForm): Model => ({
  name: form.name.trim(),
  vendor: form.vendor,
  description: form.description.trim(),
  tags: [...form.tags],
  prices: parsePrices(form.prices),
  tiers: form.tiers.map(({ above, prices }) => ({
    above_input_tokens: Number(above),
    prices: parsePrices(prices),
  })),
  request_price: parseMicro(form.requestPrice) ?? 0,
  context_window: orNull(form.context),
  max_output_tokens: orNull(form.maxOutput),
  limits: toLimit(form.limits),
  ...(form.freeFeatures.length === 0
    ? {}
    : { features: Object.fromEntries(form.freeFeatures.map((feature) => [feature, 'free' as const])) }),
  ...toDialect(form),
});

type ModelFault =
  | 'nameRequired'
  | 'nameTaken'
  | 'priceRequired'
  | 'tokensRequired'
  | 'tierOrder'
  | 'outputRequired'
  | 'dialectRequired';

/** What is wrong in a form, by the path of the field. */
export function modelFaults(form: ModelForm, taken: ReadonlySet<string>): Record<string, ModelFault> {
  const faults: Record<string, ModelFault> = {};
  if (form.name.trim() === '') faults['name'] = 'nameRequired';
  if (taken.has(form.name.trim())) faults['name'] = 'nameTaken';
  for (const kind of wrongKinds(form.prices)) faults[`prices.${kind}`] = 'priceRequired';
  if (form.requestPrice.trim() !== '' && parseMicro(form.requestPrice) === undefined)
    faults['requestPrice'] = 'priceRequired';
  if (form.isNew && form.maxOutput === '') faults['maxOutput'] = 'outputRequired';
  if (parseDialect(form.dialect) === undefined) faults['dialect'] = 'dialectRequired';
  form.tiers.forEach(({ above, prices }, index) => {
    const before = form.tiers[index - 1];
    if (above === '') faults[`tiers.${index}.above`] = 'tokensRequired';
    else if (before && Number(above) <= Number(before.above)) faults[`tiers.${index}.above`] = 'tierOrder';
    for (const kind of wrongKinds(prices)) faults[`tiers.${index}.prices.${kind}`] = 'priceRequired';
  });
  return faults;
}
