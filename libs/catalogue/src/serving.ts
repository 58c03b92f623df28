/** The upstream that a first start comes with: its answers are an echo of what is asked. */
export const SIMULATOR = 'simulator';

/** What decides who serves what; of a catalogue, or of one as its drafts show it. */
export interface ServingCatalogue {
  readonly models: readonly { readonly name: string }[];
  readonly groups: readonly { readonly name: string; readonly models: readonly string[] }[];
  readonly pools: readonly ServingPool[];
}

export interface ServingPool {
  readonly name: string;
  readonly groups: readonly string[];
  readonly models: readonly string[];
}

const includes = (names: readonly string[], name: string): boolean =>
  names.includes('*') || names.includes(name);

/** Whether keys of a group may use a model. */
export const mayUse = (group: { readonly models: readonly string[] }, model: string): boolean =>
  includes(group.models, model);

/** The pool that serves a model for a group: the first that has both. */
export const findPool = <P extends ServingPool>(
  pools: readonly P[],
  group: string,
  model: string,
): P | undefined => pools.find((pool) => includes(pool.groups, group) && includes(pool.models, model));

/** Who serves a model. */
export interface ModelServing {
  /** Groups whose keys may use it. */
  readonly groups: readonly string[];
  /** Pools in their order, each with the groups for which it serves the model. */
  readonly pools: readonly { readonly pool: string; readonly groups: readonly string[] }[];
  /** Groups whose keys may use it, and for which no pool has it. */
  readonly unserved: readonly string[];
}

/** What a pool serves. */
interface PoolServing {
  /** Models that it serves for at least one group; none where it is never reached. */
  readonly models: readonly string[];
  /** Pools in front of it that take what it has. */
  readonly behind: readonly string[];
}

export interface Serving {
  readonly models: ReadonlyMap<string, ModelServing>;
  readonly pools: ReadonlyMap<string, PoolServing>;
}

/** Tells of each model which pools serve it for which groups, and of each pool what ever reaches it. */
export function computeServing({ models, groups, pools }: ServingCatalogue): Serving {
  const reached = new Map(pools.map(({ name }) => [name, new Set<string>()]));
  const behind = new Map(pools.map(({ name }) => [name, new Set<string>()]));
  const served = models.map(({ name: model }): [string, ModelServing] => {
    const users = groups.filter((group) => mayUse(group, model)).map(({ name }) => name);
    const unserved: string[] = [];
    const byPool = new Map<string, string[]>();
    for (const group of users) {
      const fitting = pools.filter((pool) => findPool([pool], group, model) !== undefined);
      const [first, ...others] = fitting;
      if (!first) {
        unserved.push(group);
        continue;
      }
      byPool.set(first.name, [...(byPool.get(first.name) ?? []), group]);
      reached.get(first.name)?.add(model);
      for (const { name } of others) behind.get(name)?.add(first.name);
    }
    const inOrder = pools.flatMap(({ name }) => {
      const of = byPool.get(name);
      return of ? [{ pool: name, groups: of }] : [];
    });
    return [model, { groups: users, pools: inOrder, unserved }];
  });
  return {
    models: new Map(served),
    pools: new Map(
      pools.map(({ name }) => [
        name,
        { models: [...(reached.get(name) ?? [])], behind: [...(behind.get(name) ?? [])] },
      ]),
    ),
  };
}

/** What may be published, and is hardly meant. */
export const SERVING_WARNINGS = ['model_in_no_group', 'model_in_no_pool', 'pool_never_reached'] as const;
export interface ServingWarning {
  readonly code: (typeof SERVING_WARNINGS)[number];
  /** Of the model or pool. */
  readonly name: string;
}

/** Models that nobody can call, and pools that get no requests. */
export function listServingWarnings(catalogue: ServingCatalogue): ServingWarning[] {
  const { models, pools } = computeServing(catalogue);
  return [
    ...[...models].flatMap(([name, { groups, pools: by }]): ServingWarning[] => {
      if (groups.length === 0) return [{ code: 'model_in_no_group', name }];
      return by.length === 0 ? [{ code: 'model_in_no_pool', name }] : [];
    }),
    ...[...pools].flatMap(([name, { models: reached }]): ServingWarning[] =>
      reached.length === 0 ? [{ code: 'pool_never_reached', name }] : [],
    ),
  ];
}
