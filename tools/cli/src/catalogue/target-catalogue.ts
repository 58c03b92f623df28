import { type Catalogue, completePriceList } from '@tollgate/catalogue';
import type { CatalogueFile } from './file-schema.ts';

/** The catalogue that a file makes of the one that holds; secrets are the empty text, as in what is live. */
export function toTargetCatalogue(file: CatalogueFile, live: Catalogue): Catalogue {
  return {
    vendors: inOrder(file.vendors, live.vendors),
    models: inOrder(
      file.models?.map((model) => ({ ...model, ...completePriceList(model) })),
      live.models,
    ),
    groups: inOrder(file.groups, live.groups),
    upstreams: inOrder(
      file.upstreams?.map((upstream) => toTargetUpstream(upstream, live)),
      live.upstreams,
    ),
    // The first pool that matches serves: here the order counts.
    pools: file.pools ?? live.pools,
    discounts: toTargetDiscounts(file, live),
    auto_groups: file.auto_groups ?? live.auto_groups,
    limits: file.limits ?? live.limits,
  };
}

function toTargetUpstream(
  { credentials, costs, ...upstream }: NonNullable<CatalogueFile['upstreams']>[0],
  live: Catalogue,
): Catalogue['upstreams'][0] {
  const existing = live.upstreams.find(({ name }) => name === upstream.name)?.credentials ?? [];
  return {
    ...upstream,
    credentials:
      credentials?.map(({ secret_env: _reference, ...credential }) => ({ ...credential, sealed: '' })) ??
      existing,
    costs: Object.fromEntries(Object.entries(costs).map(([model, list]) => [model, completePriceList(list)])),
  };
}

/** Where the order says nothing a file may have its own: entries keep the place that they have. */
function inOrder<T extends { readonly name: string }>(listed: T[] | undefined, live: T[]): T[] {
  if (!listed) return live;
  const place = new Map(live.map(({ name }, index) => [name, index]));
  return listed.toSorted((a, b) => (place.get(a.name) ?? live.length) - (place.get(b.name) ?? live.length));
}

/** The discounts of an account keep the file's order, the accounts the one that they have. */
function toTargetDiscounts({ discounts }: CatalogueFile, live: Catalogue): Catalogue['discounts'] {
  if (!discounts) return live.discounts;
  const accounts = [...live.discounts, ...discounts].map(({ account_id }) => account_id);
  const place = new Map([...new Set(accounts)].map((account, index) => [account, index]));
  return discounts.toSorted((a, b) => (place.get(a.account_id) ?? 0) - (place.get(b.account_id) ?? 0));
}
