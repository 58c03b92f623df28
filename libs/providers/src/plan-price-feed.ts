import { findDefaultPrice, type PricesInput } from '@tollgate/catalogue/complete-prices';
import { findOwn, type ModelOperation, type TokenKind } from '@tollgate/vocabulary';
import type { FeedModel, PriceFeed } from './price-feed.ts';
import type { ModelPrices } from './sell-what-is-priced.ts';

type Prices = Readonly<Partial<Record<TokenKind, number>>>;
type Tiers = readonly { readonly above_input_tokens: number; readonly prices: PricesInput }[];

/** A model of a catalogue, with whatever else it says. */
interface PricedModel {
  readonly name: string;
  readonly vendor: string;
  readonly prices: Prices;
  readonly tiers: readonly { readonly above_input_tokens: number; readonly prices: Prices }[];
  readonly request_price?: number | undefined;
  readonly unit_prices?: Named<number>;
  readonly service_tiers?: Named<string>;
  readonly regions?: Named<string>;
}

/** By the name of a unit, a tier or a region. */
type Named<V> = Readonly<Partial<Record<string, V>>> | undefined;

interface Priced<T extends PricedModel> {
  readonly models: readonly T[];
  readonly vendors: readonly { readonly name: string }[];
  readonly pools: readonly {
    readonly members: readonly { readonly model_map: Readonly<Record<string, string>> }[];
  }[];
}

/** Where prices are from, and of which day. */
interface PriceSource {
  readonly source: string;
  readonly date: string;
}

type Repriced<T> = Omit<T, 'prices' | 'tiers' | 'price_source'> & {
  readonly prices: PricesInput;
  readonly tiers: Tiers;
  readonly price_source: PriceSource;
};

/** A model that would be new, with what the file says of it. */
interface NewModel
  extends Omit<ModelPrices, 'tiers'>, Pick<FeedModel, 'context_window' | 'max_output_tokens'> {
  readonly name: string;
  readonly vendor: string;
  readonly tiers: Tiers;
  readonly operations?: readonly [ModelOperation];
  readonly price_source: PriceSource;
}

interface FeedPlan<T> {
  /** Models of the catalogue whose prices the file states otherwise, as they would be. */
  readonly changed: readonly Repriced<T>[];
  /** How many it states as they are. */
  readonly same: number;
  /** Models of the catalogue that it does not know. */
  readonly unknown: readonly string[];
  /** Models of vendors that the catalogue has, which it lacks. */
  readonly lacking: readonly NewModel[];
  /** What the file says of prices of the catalogue's models and is not as it says here, in words. */
  readonly notes: readonly string[];
}

/** What the files call vendors otherwise than catalogues do. */
const VENDORS: Readonly<Record<string, string>> = { gemini: 'google', mistralai: 'mistral', 'x-ai': 'xai' };

/** What a price file would change of the prices of a catalogue: nothing but prices of models that it has. */
export function planPriceFeed<T extends PricedModel>(
  { models, vendors, pools }: Priced<T>,
  feed: PriceFeed,
  source: PriceSource,
): FeedPlan<T> {
  const byName = indexFeed(feed.models);
  const upstreamNames = listUpstreamNames(pools);
  const changed: Repriced<T>[] = [];
  const unknown: string[] = [];
  const notes: string[] = [];
  let same = 0;
  for (const model of models) {
    const names = [model.name, ...(upstreamNames.get(model.name) ?? [])];
    const found = names.flatMap((name) => byName.get(name) ?? [])[0];
    if (!found) {
      unknown.push(model.name);
      continue;
    }
    notes.push(...found.notes);
    if (isPricedSo(model, found)) same += 1;
    else changed.push({ ...model, ...reprice(model, found), price_source: source });
  }
  const known = new Set([...models.map(({ name }) => name), ...[...upstreamNames.values()].flat()]);
  return { changed, same, unknown, lacking: listLacking(feed, known, vendors, source), notes };
}

/** What upstreams call models, by our names. */
function listUpstreamNames(pools: Priced<PricedModel>['pools']): ReadonlyMap<string, readonly string[]> {
  const pairs = pools.flatMap(({ members }) => members.flatMap(({ model_map }) => Object.entries(model_map)));
  return new Map(
    [...Map.groupBy(pairs, ([ours]) => ours)].map(([ours, named]) => [
      ours,
      named.map(([, theirs]) => theirs),
    ]),
  );
}

function listLacking(
  feed: PriceFeed,
  known: ReadonlySet<string>,
  vendors: readonly { readonly name: string }[],
  source: PriceSource,
): NewModel[] {
  const here = new Set(vendors.map(({ name }) => name));
  const found = new Map<string, NewModel>();
  for (const { name: fullName, vendor: stated, operation, terms, ...limits } of feed.models) {
    const vendor = stated === null ? '' : (findOwn(VENDORS, stated) ?? stated);
    const name = fullName.slice(fullName.lastIndexOf('/') + 1);
    if (!here.has(vendor) || known.has(fullName) || known.has(name) || found.has(name)) continue;
    const { context_window, max_output_tokens } = limits;
    found.set(name, {
      name,
      vendor,
      ...terms,
      tiers: terms.tiers ?? [],
      // Nothing is said of models for conversations: they are what a model is for that says nothing.
      ...(operation !== 'generate' && { operations: [operation] as const }),
      context_window,
      max_output_tokens,
      price_source: source,
    });
  }
  return [...found.values()];
}

/** By the whole name, and by that without the vendor's where only one has it. */
function indexFeed(models: readonly FeedModel[]): ReadonlyMap<string, FeedModel> {
  const short = Map.groupBy(
    models.filter(({ name }) => name.includes('/')),
    ({ name }) => name.slice(name.lastIndexOf('/') + 1),
  );
  const alone = [...short].flatMap(([name, [first, ...others]]): [string, FeedModel][] =>
    first && others.length === 0 ? [[name, first]] : [],
  );
  return new Map([...alone, ...models.map((model): [string, FeedModel] => [model.name, model])]);
}

/** What is counted beside tokens, and the ratios: of these a file says the prices of what is sold, and begins to sell nothing. */
const NAMED_PRICES = ['unit_prices', 'service_tiers', 'regions'] as const;

/** The prices of a file; of what it does not speak, that which holds stays. */
function reprice(model: PricedModel, { terms }: FeedModel) {
  const { prices, tiers, request_price = model.request_price } = terms;
  const held = tiers ?? model.tiers.map((tier) => ({ ...tier, prices: toInput(tier.prices) }));
  const named = NAMED_PRICES.flatMap((field) => {
    const before = model[field];
    return before === undefined ? [] : [[field, { ...before, ...pickKnown(terms[field], before) }] as const];
  });
  return {
    ...Object.fromEntries(named),
    ...(request_price !== undefined && { request_price }),
    prices: { ...listOwnPrices(model.prices), ...prices },
    tiers: held.map((tier) => {
      const before = model.tiers.find(
        ({ above_input_tokens }) => above_input_tokens === tier.above_input_tokens,
      );
      return { ...tier, prices: { ...listOwnPrices(before?.prices ?? {}), ...tier.prices } };
    }),
  };
}

const pickKnown = (stated: Named<unknown>, known: Named<unknown>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(stated ?? {}).filter(([name]) => findOwn(known ?? {}, name) !== undefined),
  );

const toInput = (prices: Prices): PricesInput => ({
  ...prices,
  input: prices.input ?? 0,
  output: prices.output ?? 0,
});

/** Without what only repeats the price of another kind, and so would follow it. */
const listOwnPrices = (prices: Prices): Prices =>
  Object.fromEntries(
    Object.entries(prices).filter(([kind, price]) => findDefaultPrice(kind as TokenKind, prices) !== price),
  );

/** Whether every price that the file states is the one that holds. */
function isPricedSo(model: PricedModel, { terms }: FeedModel): boolean {
  const { prices, tiers, request_price } = terms;
  const holds = (stated: PricesInput, existing: Prices) =>
    Object.entries(stated).every(([kind, price]) => existing[kind as TokenKind] === price);
  const isNamedSo = NAMED_PRICES.every((field) =>
    Object.entries(pickKnown(terms[field], model[field])).every(
      ([name, value]) => model[field]?.[name] === value,
    ),
  );
  return (
    isNamedSo &&
    (request_price === undefined || request_price === (model.request_price ?? 0)) &&
    holds(prices, model.prices) &&
    (tiers === undefined ||
      (tiers.length === model.tiers.length &&
        tiers.every((tier, index) => {
          const existing = model.tiers[index];
          return (
            existing?.above_input_tokens === tier.above_input_tokens && holds(tier.prices, existing.prices)
          );
        })))
  );
}
