import {
  type Catalogue,
  type CatalogueSection,
  listEntries,
  type EntryDifference,
} from '@tollgate/catalogue';

type Entries = Map<string, unknown>;

/** Makes differences on a catalogue, as somebody would who has only these. */
export function applyDifferences(catalogue: Catalogue, differences: readonly EntryDifference[]): Catalogue {
  const before = listEntries(catalogue);
  const entries = Object.fromEntries(
    Object.entries(before).map(([section, list]) => [
      section,
      applySection(
        new Map(list),
        differences.filter((each) => each.section === section),
      ),
    ]),
  ) as Record<CatalogueSection, Entries>;
  const named = (section: CatalogueSection): object[] =>
    [...entries[section]].map(([name, entry]) => ({ name, ...(entry as object) }));
  const discounts = [...entries.discounts].flatMap(([account_id, entry]) =>
    (entry as { discounts: object[] }).discounts.map((discount) => ({ account_id, ...discount })),
  );
  return {
    vendors: named('vendors'),
    models: named('models'),
    groups: named('groups'),
    upstreams: named('upstreams'),
    pools: named('pools'),
    discounts,
    auto_groups: (entries.auto_groups.get('auto') as { groups: string[] }).groups,
    limits: Object.fromEntries(entries.limits),
  } as Catalogue;
}

function applySection(entries: Entries, differences: readonly EntryDifference[]): Entries {
  let order: readonly string[] | undefined;
  for (const { name, change, fields } of differences) {
    if (name === '*') order = fields[0]?.to as string[];
    else if (change === 'removed') entries.delete(name);
    else if (change === 'added') entries.set(name, fields[0]?.to);
    else entries.set(name, fields.reduce(withField, structuredClone(entries.get(name))));
  }
  return order ? new Map(order.map((name) => [name, entries.get(name)])) : entries;
}

function withField(entry: unknown, field: EntryDifference['fields'][0]): unknown {
  const keys = field.path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  if (last === undefined) return field.to;
  let at = entry as Record<string, unknown>;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  if ('to' in field) at[last] = field.to;
  else delete at[last];
  return entry;
}
