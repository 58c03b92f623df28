import { findOwn, PRICE_SOURCES, TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import type { EntryDifference, FieldDifference } from '../../api/catalogue.ts';

/** What a value is, so that it can be shown as such. */
type ValueKind = 'price' | 'unitPrice' | 'times' | 'terms' | 'tiers' | 'plain';

export interface DifferenceRow {
  /** Names from the entry down to the field. */
  readonly path: readonly string[];
  readonly kind: ValueKind;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** What an entry says otherwise, a row for each field; of a new or removed one what it says at all. */
export function toRows({ fields }: Pick<EntryDifference, 'fields'>): readonly DifferenceRow[] {
  return withoutEchoes(fields.flatMap(toFieldRows));
}

/** One row, or one for each field below it where all of them are new or gone. */
function toFieldRows({ path, ...values }: FieldDifference): DifferenceRow[] {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const side = 'to' in values ? 'to' : 'from';
  const isOneSided = !('from' in values && 'to' in values);
  if (!isOneSided || typeof values[side] !== 'object' || Array.isArray(values[side]))
    return [{ path: names, kind: findKind(names), ...values }];
  return listLeaves(values[side], names).map(([leaf, value]) => ({
    path: leaf,
    kind: findKind(leaf),
    [side]: value,
  }));
}

/** What stands below these names. */
const KINDS_BELOW: Readonly<Record<string, ValueKind>> = {
  prices: 'price',
  unit_prices: 'unitPrice',
  service_tiers: 'times',
  regions: 'times',
  features: 'terms',
};

function findKind(path: readonly string[]): ValueKind {
  if (path[0] === 'tiers') return 'tiers';
  if (path.at(-1) === 'request_price') return 'price';
  return findOwn(KINDS_BELOW, path.at(-2) ?? '') ?? 'plain';
}

/** The fields of an entry that say something: what is empty says nothing. */
function listLeaves(value: unknown, path: readonly string[]): [readonly string[], unknown][] {
  if (value === null || value === undefined || value === '' || value === false) return [];
  if (Array.isArray(value)) return value.length === 0 ? [] : [[path, value]];
  if (typeof value !== 'object') return [[path, value]];
  return Object.entries(value).flatMap(([name, part]) => listLeaves(part, [...path, name]));
}

const isKind = (name: string | undefined): name is TokenKind => TOKEN_KINDS.some((kind) => kind === name);

/** Leaves out the price of a kind that only follows another one's, which is shown too. */
function withoutEchoes(rows: readonly DifferenceRow[]): readonly DifferenceRow[] {
  const shown = new Map(rows.map((row) => [row.path.join('/'), row]));
  return rows.filter(({ path, from, to }) => {
    const kind = path.at(-1);
    if (path.at(-2) !== 'prices' || !isKind(kind)) return true;
    const source = PRICE_SOURCES[kind];
    const followed = source && shown.get([...path.slice(0, -1), source].join('/'));
    return !followed || followed.from !== from || followed.to !== to;
  });
}

/** By how many percent a number changed, to one place; undefined where that says nothing. */
export function percentChange(from: unknown, to: unknown): number | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return undefined;
  return Math.round(((to - from) / from) * 1_000) / 10;
}
