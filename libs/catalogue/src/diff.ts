import { canonicalJson } from './hash.ts';
import { AUTO_GROUP, type Catalogue, CATALOGUE_SECTIONS, type CatalogueSection } from './schema.ts';

/** What stands at a place: `from` is absent where nothing stood, `to` where nothing stands any more. */
interface FieldDifference {
  /** A JSON Pointer into the entry; the empty one is the whole entry. */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export interface EntryDifference {
  readonly section: CatalogueSection;
  /** Of discounts the account, of limits what they are for, of automatic groups "auto"; "*" is the section itself, whose order changed. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly FieldDifference[];
}

/** What two catalogues say otherwise. Made on `a`, the differences give `b`: none is left out. */
export function diffCatalogues(a: Catalogue, b: Catalogue): EntryDifference[] {
  const [before, after] = [listEntries(a), listEntries(b)];
  return CATALOGUE_SECTIONS.flatMap((section) =>
    sectionDifferences(section, before[section], after[section]),
  );
}

type Entries = ReadonlyMap<string, unknown>;

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

function sectionDifferences(section: CatalogueSection, before: Entries, after: Entries): EntryDifference[] {
  const removed = [...before].flatMap(([name, from]): EntryDifference[] =>
    after.has(name) ? [] : [{ section, name, change: 'removed', fields: [{ path: '', from }] }],
  );
  const others = [...after].flatMap(([name, to]): EntryDifference[] => {
    if (!before.has(name)) return [{ section, name, change: 'added', fields: [{ path: '', to }] }];
    const fields = fieldDifferences('', before.get(name), to);
    return fields.length === 0 ? [] : [{ section, name, change: 'changed', fields }];
  });
  return [...removed, ...others, ...orderDifference(section, [...before.keys()], [...after.keys()])];
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

function fieldDifferences(path: string, from: unknown, to: unknown): FieldDifference[] {
  if (!isRecord(from) || !isRecord(to)) {
    return from === to || canonicalJson(from) === canonicalJson(to) ? [] : [{ path, from, to }];
  }
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key): FieldDifference[] => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(from, key)) return [{ path: place, to: to[key] }];
    if (!Object.hasOwn(to, key)) return [{ path: place, from: from[key] }];
    return fieldDifferences(place, from[key], to[key]);
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
