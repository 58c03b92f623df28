import { diffEntries, type Entries, type EntryDifference } from './entry-differences.ts';
import { AUTO_GROUP, type Catalogue, CATALOGUE_SECTIONS, type CatalogueSection } from './schema.ts';

/** What two catalogues say otherwise. Made on `a`, the differences give `b`: none is left out. */
export function diffCatalogues(a: Catalogue, b: Catalogue): EntryDifference[] {
  const [before, after] = [listEntries(a), listEntries(b)];
  return CATALOGUE_SECTIONS.flatMap((section) => [
    ...diffEntries(section, before[section], after[section]),
    ...orderDifference(section, [...before[section].keys()], [...after[section].keys()]),
  ]);
}

/** The entries of every section by name, in their order. */
export function listEntries(catalogue: Catalogue): Record<CatalogueSection, Entries> {
  const byName = (list: readonly { name: string }[]): Entries =>
    new Map(list.map(({ name, ...entry }) => [name, entry]));
  const discounts = new Map<string, { discounts: object[] }>();
  for (const { account_id, ...discount } of catalogue.discounts) {
    const held = discounts.get(account_id);
    if (held) held.discounts.push(discount);
    else discounts.set(account_id, { discounts: [discount] });
  }
  return {
    vendors: byName(catalogue.vendors),
    models: byName(catalogue.models),
    groups: byName(catalogue.groups),
    upstreams: byName(catalogue.upstreams),
    pools: byName(catalogue.pools),
    discounts,
    auto_groups: new Map([[AUTO_GROUP, { groups: catalogue.auto_groups }]]),
    limits: new Map(Object.entries(catalogue.limits)),
  };
}

/** Entries that stay keep their order and new ones stand at the end, unless this says otherwise. */
function orderDifference(
  section: CatalogueSection,
  from: readonly string[],
  to: readonly string[],
): EntryDifference[] {
  const [had, has] = [new Set(from), new Set(to)];
  const expected = [...from.filter((name) => has.has(name)), ...to.filter((name) => !had.has(name))];
  if (expected.every((name, index) => name === to[index])) return [];
  return [{ section, name: '*', change: 'changed', fields: [{ path: '/order', from, to }] }];
}
