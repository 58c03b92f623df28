import { canonicalJson } from './canonical-json.ts';
import type { CatalogueSection } from './schema.ts';

/** What stands at a place: `from` is absent where nothing stood, `to` where nothing stands any more. */
export interface FieldDifference {
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

/** The entries of a section by name. */
export type Entries = ReadonlyMap<string, unknown>;

/** What the entries of a section say otherwise, whatever their order. */
export function diffEntries(section: CatalogueSection, before: Entries, after: Entries): EntryDifference[] {
  const removed = [...before].flatMap(([name, from]): EntryDifference[] =>
    after.has(name) ? [] : [{ section, name, change: 'removed', fields: [{ path: '', from }] }],
  );
  const others = [...after].flatMap(([name, to]): EntryDifference[] => {
    if (!before.has(name)) return [{ section, name, change: 'added', fields: [{ path: '', to }] }];
    const fields = fieldDifferences('', before.get(name), to);
    return fields.length === 0 ? [] : [{ section, name, change: 'changed', fields }];
  });
  return [...removed, ...others];
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

/** The entries of some names, without those that are not there. */
export const pickNamed = (entries: readonly { readonly name: string }[], names: readonly string[]): Entries =>
  new Map(entries.flatMap(({ name, ...entry }) => (names.includes(name) ? [[name, entry]] : [])));
