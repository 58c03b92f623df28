import type { Model } from '../../api/catalogue.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';
import { type BesideFault, besideFaults, type BesideForm, toBeside, toBesideForm } from './beside-form.ts';
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
export interface ModelForm extends BesideForm {
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
  /** JSON, or empty. */
  readonly dialect: string;
  /** Whether it is made just now. */
  readonly isNew: boolean;
  /** What the model says and no field shows: it stays as it is. */
  readonly kept: Partial<Model>;
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
  dialect: model?.dialect ? JSON.stringify(model.dialect, null, 2) : '',
  ...toBesideForm(model ?? {}),
  isNew: model === undefined,
  kept: model ? withoutFields(model) : {},
});

const EDITED: ReadonlySet<string> = new Set<keyof Model>([
  'name',
  'vendor',
  'description',
  'tags',
  'prices',
  'tiers',
  'request_price',
  'context_window',
  'max_output_tokens',
  'limits',
  'unit_prices',
  'service_tiers',
  'regions',
  'features',
  'image_models',
  'dialect',
]);

const withoutFields = (model: Model): Partial<Model> =>
  Object.fromEntries(Object.entries(model).filter(([field]) => !EDITED.has(field)));

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
  ...form.kept,
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
  ...toBeside(form),
  ...toDialect(form),
});

type ModelFault =
  | BesideFault
  | 'nameRequired'
  | 'nameTaken'
  | 'priceRequired'
  | 'tokensRequired'
  | 'tierOrder'
  | 'outputRequired'
  | 'dialectRequired';

/** What is wrong in a form, by the path of the field. */
export function modelFaults(form: ModelForm, taken: ReadonlySet<string>): Record<string, ModelFault> {
  const faults: Record<string, ModelFault> = besideFaults(form);
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
