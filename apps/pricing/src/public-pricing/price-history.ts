import type { Catalogue, Model } from '@tollgate/catalogue';

/** What a model cost from a version on, until the next point. */
export interface PricePoint {
  readonly version: number;
  readonly published_at: string;
  /** What the group pays of the list price, as decimal text; null where there is no such group. */
  readonly group_ratio: string | null;
  /** Micro-USD per million tokens; null while the model is not in the catalogue or not for the group. */
  readonly prices: Model['prices'] | null;
  readonly tiers: Model['tiers'];
  /** Micro-USD. */
  readonly request_price: number;
  /** Micro-USD per million units. */
  readonly unit_prices: NonNullable<Model['unit_prices']>;
  /** What tokens cost there, as a share of their prices. */
  readonly service_tiers: NonNullable<Model['service_tiers']>;
  readonly regions: NonNullable<Model['regions']>;
}

type PriceList = Pick<PricePoint, 'tiers' | 'request_price' | 'unit_prices' | 'service_tiers' | 'regions'> & {
  readonly prices: Model['prices'];
};
interface GroupTerms {
  readonly ratio: string;
  readonly models: readonly string[];
}

/** What holds from a version on. */
interface Since<T> {
  readonly version: number;
  readonly value: T | null;
}

interface Published {
  readonly version: number;
  readonly publishedAt: string;
  readonly catalogue: Pick<Catalogue, 'models' | 'groups'>;
}

/** Every change of prices and groups, without what stayed the same: catalogues go in in their order, histories come out. */
export class PriceHistory {
  readonly #publishedAt = new Map<number, string>();
  readonly #models = new Map<string, Since<PriceList>[]>();
  readonly #groups = new Map<string, Since<GroupTerms>[]>();
  #version = 0;

  /** The last version that went in; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /** @throws RangeError for a version that does not follow the one before. */
  add({ version, publishedAt, catalogue }: Published): void {
    if (version <= this.#version) throw new RangeError(`version ${version} came after ${this.#version}`);
    this.#version = version;
    const models = catalogue.models.map((model): [string, PriceList] => [model.name, toPriceList(model)]);
    const groups = catalogue.groups.map(({ name, ratio, models }): [string, GroupTerms] => [
      name,
      { ratio, models },
    ]);
    const isModelsChanged = note(this.#models, new Map(models), version);
    const isGroupsChanged = note(this.#groups, new Map(groups), version);
    if (isModelsChanged || isGroupsChanged) this.#publishedAt.set(version, publishedAt);
  }

  /** The points at which anything changed of what a model costs in a group, oldest first; null for an unknown model. */
  of(model: string, group: string): PricePoint[] | null {
    const lists = this.#models.get(model);
    if (!lists) return null;
    const terms = this.#groups.get(group) ?? [];
    const versions = new Set([...lists, ...terms].map(({ version }) => version));
    const points: PricePoint[] = [];
    for (const version of [...versions].sort((a, b) => a - b)) {
      const point = this.#pointAt(version, lists, terms, model);
      const last = points.at(-1);
      // A history begins with a price.
      if (last ? !isSame(termsOf(last), termsOf(point)) : point.prices !== null) points.push(point);
    }
    return points;
  }

  #pointAt(
    version: number,
    lists: readonly Since<PriceList>[],
    terms: readonly Since<GroupTerms>[],
    model: string,
  ): PricePoint {
    const list = inForce(lists, version);
    const group = inForce(terms, version);
    const isOffered = group !== null && (group.models.includes('*') || group.models.includes(model));
    const shown = isOffered ? list : null;
    return {
      version,
      published_at: this.#publishedAt.get(version) ?? '',
      group_ratio: shown ? (group?.ratio ?? null) : null,
      prices: shown?.prices ?? null,
      tiers: shown?.tiers ?? [],
      request_price: shown?.request_price ?? 0,
      unit_prices: shown?.unit_prices ?? {},
      service_tiers: shown?.service_tiers ?? {},
      regions: shown?.regions ?? {},
    };
  }
}

const toPriceList = (model: Model): PriceList => ({
  prices: model.prices,
  tiers: model.tiers,
  request_price: model.request_price,
  unit_prices: model.unit_prices ?? {},
  service_tiers: model.service_tiers ?? {},
  regions: model.regions ?? {},
});

const termsOf = ({ version: _version, published_at: _at, ...terms }: PricePoint) => terms;

const inForce = <T>(changes: readonly Since<T>[], version: number): T | null =>
  changes.findLast((change) => change.version <= version)?.value ?? null;

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Writes down what differs from what held before; answers whether anything did. */
function note<T extends object>(
  changes: Map<string, Since<T>[]>,
  now: ReadonlyMap<string, T>,
  version: number,
): boolean {
  let isChanged = false;
  for (const name of new Set([...changes.keys(), ...now.keys()])) {
    const value = now.get(name) ?? null;
    const known = changes.get(name) ?? [];
    const last = known.at(-1)?.value ?? null;
    if (last === value || (last && value && isSame(last, value))) continue;
    changes.set(name, [...known, { version, value }]);
    isChanged = true;
  }
  return isChanged;
}
