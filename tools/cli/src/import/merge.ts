import { canonicalJson, type Catalogue, completePriceList } from '@tollgate/catalogue';
import type { CatalogueFile } from '../catalogue/file-schema.ts';
import type { Move } from './move.ts';

type Shown = Omit<Catalogue['upstreams'][0], 'credentials'> & {
  credentials: Omit<Catalogue['upstreams'][0]['credentials'][0], 'sealed'>[];
};

/**
 * The live catalogue with what moves in: what stands keeps its prices and ratios, new pools stand in front.
 *
 * @param notes gets what stands already and says something else.
 */
export function mergedCatalogue(
  { vendors, models, groups, upstreams, pools, auto_groups }: Move['catalogue'],
  live: Catalogue,
  notes: string[],
): CatalogueFile {
  const existing = new Map(live.models.map((model) => [model.name, model]));
  for (const model of models) {
    const here = existing.get(model.name);
    const [a, b] = [here && completePriceList(here), completePriceList(model)];
    if (a && canonicalJson(a) !== canonicalJson(b))
      notes.push(`model ${model.name}: is here already with other prices, which it keeps`);
  }
  return {
    vendors: [...live.vendors, ...missing(vendors, live.vendors)],
    models: [...live.models, ...missing(models, live.models)],
    groups: [
      ...live.groups.map((group) =>
        widened(
          group,
          groups.find(({ name }) => name === group.name),
          notes,
        ),
      ),
      ...missing(groups, live.groups),
    ],
    upstreams: [...live.upstreams.map(shown), ...missing(upstreams, live.upstreams)],
    pools: [
      ...missing(pools, live.pools),
      ...live.pools.map((pool) => pools.find(({ name }) => name === pool.name) ?? pool),
    ],
    auto_groups: [...new Set([...live.auto_groups, ...auto_groups])],
  };
}

const missing = <T extends { readonly name: string }>(
  imported: readonly T[],
  live: readonly { name: string }[],
): T[] => imported.filter(({ name }) => !live.some((each) => each.name === name));

const shown = (upstream: Catalogue['upstreams'][0]): Shown => ({
  ...upstream,
  credentials: upstream.credentials.map(({ sealed: _sealed, ...credential }) => credential),
});

function widened(
  here: Catalogue['groups'][0],
  moving: Move['catalogue']['groups'][0] | undefined,
  notes: string[],
): Catalogue['groups'][0] {
  if (!moving) return here;
  if (here.ratio !== moving.ratio)
    notes.push(
      `group ${here.name}: is here already with the ratio ${here.ratio}, which it keeps in place of ${moving.ratio}`,
    );
  return {
    ...here,
    models: here.models.includes('*') ? here.models : [...new Set([...here.models, ...moving.models])],
    fallbacks: { ...moving.fallbacks, ...here.fallbacks },
  };
}
