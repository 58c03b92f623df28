import { SERVICE_TIERS, type ServiceTier, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';
import type { Model, Upstream } from '../../api/catalogue.ts';
import { parseUnitPrice, toUnitPrice } from '../../shared/unit-scale.ts';
import {
  emptyPrices,
  parseMicro,
  parsePrices,
  type PriceTexts,
  toTexts,
  toUsd,
  wrongKinds,
} from './prices.ts';

type PricedTier = Exclude<ServiceTier, 'standard'>;
export const PRICED_TIERS = SERVICE_TIERS.filter((tier): tier is PricedTier => tier !== 'standard');

interface TierForm {
  readonly above: number | string;
  readonly prices: PriceTexts;
}

/** What usage is priced by, as a form holds it: all of it texts, empty where nothing is stated. */
export interface PriceListForm {
  /** USD for a million tokens. */
  readonly prices: PriceTexts;
  readonly tiers: readonly TierForm[];
  readonly requestPrice: string;
  readonly unitPrices: Readonly<Record<UnitKind, string>>;
  readonly serviceTiers: Readonly<Record<PricedTier, string>>;
  readonly regions: readonly { readonly name: string; readonly ratio: string }[];
}

/** What a model sells at, and what an upstream charges for one. */
type PriceList = Upstream['costs'][string];
type Stated = Pick<Model, keyof PriceList>;

const EMPTY: Stated = { prices: {}, tiers: [], request_price: 0 };

export function toPriceListForm(list: Stated | undefined): PriceListForm {
  const { prices, tiers, request_price, unit_prices = {}, service_tiers = {}, regions = {} } = list ?? EMPTY;
  return {
    prices: list ? toTexts(prices) : emptyPrices,
    tiers: tiers.map((tier) => ({ above: tier.above_input_tokens, prices: toTexts(tier.prices) })),
    requestPrice: request_price > 0 ? toUsd(request_price) : '',
    unitPrices: toRecord(UNIT_KINDS, (kind) => {
      const price = unit_prices[kind];
      return price === undefined ? '' : toUnitPrice(kind, price);
    }),
    serviceTiers: toRecord(PRICED_TIERS, (tier) => service_tiers[tier] ?? ''),
    regions: Object.entries(regions).map(([name, ratio]) => ({ name, ratio })),
  };
}

/** What a form without faults states; of what stands beside tokens nothing that is empty. */
export function toPriceList(form: PriceListForm): PriceList {
  const units = UNIT_KINDS.flatMap((kind): [UnitKind, number][] => {
    const price = parseUnitPrice(kind, form.unitPrices[kind]);
    return price === undefined ? [] : [[kind, price]];
  });
  const tiers = PRICED_TIERS.map((tier): [PricedTier, string] => [
    tier,
    form.serviceTiers[tier].trim(),
  ]).filter(([, ratio]) => ratio !== '');
  const regions = form.regions.map(({ name, ratio }): [string, string] => [name.trim(), ratio.trim()]);
  return {
    prices: parsePrices(form.prices),
    tiers: form.tiers.map(({ above, prices }) => ({
      above_input_tokens: Number(above),
      prices: parsePrices(prices),
    })),
    request_price: parseMicro(form.requestPrice) ?? 0,
    ...(units.length === 0 ? {} : { unit_prices: Object.fromEntries(units) }),
    ...(tiers.length === 0 ? {} : { service_tiers: Object.fromEntries(tiers) }),
    ...(regions.length === 0 ? {} : { regions: Object.fromEntries(regions) }),
  };
}

export type PriceListFault =
  | 'priceRequired'
  | 'tokensRequired'
  | 'tierOrder'
  | 'unitPriceRequired'
  | 'timesRequired'
  | 'regionRequired'
  | 'regionTwice';

const TIMES = /^\d{1,3}(\.\d{1,3})?$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;

/** What is wrong in a form, by the path of the field. */
export const priceListFaults = (form: PriceListForm): Record<string, PriceListFault> => ({
  ...tokenPriceFaults(form),
  ...besideFaults(form),
});

function tokenPriceFaults({ prices, requestPrice, tiers }: PriceListForm): Record<string, PriceListFault> {
  const faults: Record<string, PriceListFault> = {};
  for (const kind of wrongKinds(prices)) faults[`prices.${kind}`] = 'priceRequired';
  if (requestPrice.trim() !== '' && parseMicro(requestPrice) === undefined)
    faults['requestPrice'] = 'priceRequired';
  tiers.forEach((tier, index) => {
    const before = tiers[index - 1];
    if (tier.above === '') faults[`tiers.${index}.above`] = 'tokensRequired';
    else if (before && Number(tier.above) <= Number(before.above))
      faults[`tiers.${index}.above`] = 'tierOrder';
    for (const kind of wrongKinds(tier.prices)) faults[`tiers.${index}.prices.${kind}`] = 'priceRequired';
  });
  return faults;
}

function besideFaults({ unitPrices, serviceTiers, regions }: PriceListForm): Record<string, PriceListFault> {
  const faults: Record<string, PriceListFault> = {};
  for (const kind of UNIT_KINDS)
    if (unitPrices[kind].trim() !== '' && parseUnitPrice(kind, unitPrices[kind]) === undefined)
      faults[`unitPrices.${kind}`] = 'unitPriceRequired';
  for (const tier of PRICED_TIERS)
    if (serviceTiers[tier].trim() !== '' && !TIMES.test(serviceTiers[tier].trim()))
      faults[`serviceTiers.${tier}`] = 'timesRequired';
  regions.forEach(({ name, ratio }, index) => {
    if (!NAME.test(name.trim())) faults[`regions.${index}.name`] = 'regionRequired';
    else if (regions.findIndex((each) => each.name.trim() === name.trim()) < index)
      faults[`regions.${index}.name`] = 'regionTwice';
    if (!TIMES.test(ratio.trim())) faults[`regions.${index}.ratio`] = 'timesRequired';
  });
  return faults;
}

const toRecord = <K extends string>(keys: readonly K[], textOf: (key: K) => string): Record<K, string> =>
  Object.fromEntries(keys.map((key) => [key, textOf(key)])) as Record<K, string>;
