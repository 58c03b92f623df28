import type { Catalogue, Group, Model, Pool, Upstream, Vendor } from '@tollgate/contracts';

interface Entries {
  readonly vendors: Vendor;
  readonly models: Model;
  readonly groups: Group;
  readonly upstreams: Upstream;
  readonly pools: Pool;
}

export type Section = keyof Entries;

export const SECTIONS = [
  'vendors',
  'models',
  'groups',
  'upstreams',
  'pools',
] as const satisfies readonly Section[];

/** One change of the catalogue; pools keep their order, for the first that matches serves. */
export type CatalogueChange =
  | { [S in Section]: { readonly op: 'put'; readonly section: S; readonly entry: Entries[S] } }[Section]
  /** A pool put in front of another one, wherever it stood. */
  | { readonly op: 'put-before'; readonly pool: Pool; readonly before: string }
  | { readonly op: 'delete'; readonly section: Section; readonly name: string }
  | { readonly op: 'limits'; readonly limits: Catalogue['limits'] }
  | { readonly op: 'replace'; readonly catalogue: Catalogue };

export const EMPTY_CATALOGUE: Catalogue = {
  vendors: [],
  models: [],
  groups: [],
  upstreams: [],
  pools: [],
  limits: { client: {}, key: {}, route: {} },
};

/** The catalogue after a change; an entry of the same name is replaced where it stands. */
export function applyChange(catalogue: Catalogue, change: CatalogueChange): Catalogue {
  switch (change.op) {
    case 'replace':
      return change.catalogue;
    case 'limits':
      return { ...catalogue, limits: change.limits };
    case 'delete':
      return {
        ...catalogue,
        [change.section]: catalogue[change.section].filter(({ name }) => name !== change.name),
      };
    case 'put-before': {
      const others = catalogue.pools.filter(({ name }) => name !== change.pool.name);
      const at = others.findIndex(({ name }) => name === change.before);
      return { ...catalogue, pools: others.toSpliced(at < 0 ? others.length : at, 0, change.pool) };
    }
    case 'put': {
      const list: readonly { name: string }[] = catalogue[change.section];
      const at = list.findIndex(({ name }) => name === change.entry.name);
      return {
        ...catalogue,
        [change.section]: at < 0 ? [...list, change.entry] : list.with(at, change.entry),
      };
    }
  }
}
