import type { Model, Upstream } from '../../api/catalogue.ts';
import {
  type PriceListFault,
  priceListFaults,
  type PriceListForm,
  toPriceList,
  toPriceListForm,
} from '../catalogue/price-list-form.ts';

type Costs = Upstream['costs'];

/** What an upstream charges for one model, as its form holds it. */
export interface CostForm extends PriceListForm {
  readonly model: string;
  /** What the list says and no field shows: it stays as it is. */
  readonly kept: Partial<Costs[string]>;
}

const EDITED: ReadonlySet<string> = new Set<keyof Costs[string]>([
  'prices',
  'tiers',
  'request_price',
  'unit_prices',
  'service_tiers',
  'regions',
]);

const toCostForm = (model: string, list: Costs[string]): CostForm => ({
  model,
  ...toPriceListForm(list),
  kept: Object.fromEntries(Object.entries(list).filter(([field]) => !EDITED.has(field))),
});

/** Costs that are stated just now begin as the list prices. */
export const startCost = (model: Model): CostForm => ({
  model: model.name,
  ...toPriceListForm(model),
  kept: {},
});

export const toCostForms = (costs: Costs): CostForm[] =>
  Object.entries(costs).map(([model, list]) => toCostForm(model, list));

export const toCosts = (forms: readonly CostForm[]): Costs =>
  Object.fromEntries(forms.map((form) => [form.model, { ...form.kept, ...toPriceList(form) }]));

/** What is wrong, by the path of the field. */
export const costFaults = (costs: readonly CostForm[]): Record<string, PriceListFault> =>
  Object.fromEntries(
    costs.flatMap((cost, index) =>
      Object.entries(priceListFaults(cost)).map(([path, fault]) => [`costs.${index}.${path}`, fault]),
    ),
  );
