import type { ModelOperation } from '@tollgate/vocabulary';
import type { Model } from '../../api/catalogue.ts';
import { type LimitForm, toLimitForm, toLimit } from '../limits/limit-form.ts';
import {
  type FeatureFault,
  featureFaults,
  type FeatureForm,
  toFeatureForm,
  toFeatures,
} from './feature-form.ts';
import {
  type PriceListFault,
  priceListFaults,
  type PriceListForm,
  toPriceList,
  toPriceListForm,
} from './price-list-form.ts';

/** A model as its form holds it. */
export interface ModelForm extends PriceListForm, FeatureForm {
  readonly name: string;
  readonly vendor: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** What it is for; none is conversations. */
  readonly operations: readonly ModelOperation[];
  readonly context: number | string;
  readonly maxOutput: number | string;
  readonly limits: LimitForm;
  /** JSON, or empty. */
  readonly dialect: string;
  /** Whether it is made just now. */
  readonly isNew: boolean;
  /** Where the prices are from that it was opened with, and what those were. */
  readonly sourced: { readonly from: NonNullable<Model['price_source']>; readonly prices: string } | null;
  /** What the model says and no field shows: it stays as it is. */
  readonly kept: Partial<Model>;
}

/** @param suggested what a model that is new begins with. */
export const toModelForm = (
  model: Model | undefined,
  firstVendor: string,
  suggested?: Partial<Model>,
): ModelForm => {
  const stated = model ?? suggested;
  const list = stated?.prices && { tiers: [], request_price: 0, ...stated, prices: stated.prices };
  const prices = toPriceListForm(list);
  const from = stated?.price_source;
  return {
    name: stated?.name ?? '',
    vendor: stated?.vendor ?? firstVendor,
    description: stated?.description ?? '',
    tags: stated?.tags ?? [],
    operations: stated?.operations ?? [],
    ...prices,
    context: stated?.context_window ?? '',
    maxOutput: stated?.max_output_tokens ?? '',
    limits: toLimitForm(stated?.limits),
    dialect: stated?.dialect ? JSON.stringify(stated.dialect, null, 2) : '',
    ...toFeatureForm(stated ?? {}),
    isNew: model === undefined,
    sourced: from ? { from, prices: JSON.stringify(toPriceList(prices)) } : null,
    kept: model ? withoutFields(model) : {},
  };
};

/** Prices that somebody changed by hand are from nowhere else any more. */
export const findPriceSource = (form: ModelForm): Model['price_source'] =>
  form.sourced?.prices === JSON.stringify(toPriceList(form)) ? form.sourced.from : undefined;

const EDITED: ReadonlySet<string> = new Set<keyof Model>([
  'name',
  'vendor',
  'description',
  'tags',
  'operations',
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
  'price_source',
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
export function toModel(form: ModelForm): Model {
  const source = findPriceSource(form);
  return {
    ...form.kept,
    name: form.name.trim(),
    vendor: form.vendor,
    description: form.description.trim(),
    tags: [...form.tags],
    ...(form.operations.length === 0 ? {} : { operations: [...form.operations] }),
    context_window: orNull(form.context),
    max_output_tokens: orNull(form.maxOutput),
    limits: toLimit(form.limits),
    ...toPriceList(form),
    ...toFeatures(form),
    ...toDialect(form),
    ...(source ? { price_source: source } : {}),
  };
}

type ModelFault =
  | PriceListFault
  | FeatureFault
  | 'nameRequired'
  | 'nameTaken'
  | 'outputRequired'
  | 'dialectRequired';

/** What writes nothing has no longest output. */
export const needsMaxOutput = ({ isNew, operations }: Pick<ModelForm, 'isNew' | 'operations'>): boolean =>
  isNew && (operations.length === 0 || operations.includes('generate'));

/** What is wrong in a form, by the path of the field. */
export function modelFaults(form: ModelForm, taken: ReadonlySet<string>): Record<string, ModelFault> {
  const faults: Record<string, ModelFault> = { ...featureFaults(form), ...priceListFaults(form) };
  if (form.name.trim() === '') faults['name'] = 'nameRequired';
  if (taken.has(form.name.trim())) faults['name'] = 'nameTaken';
  if (needsMaxOutput(form) && form.maxOutput === '') faults['maxOutput'] = 'outputRequired';
  if (parseDialect(form.dialect) === undefined) faults['dialect'] = 'dialectRequired';
  return faults;
}
