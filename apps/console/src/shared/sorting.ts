/** What rows are ordered by: amounts as whole numbers of their smallest unit, so that no digit is lost. */
export type Sortable = string | number | bigint;

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

/** As addresses and the services write it: the column, with a minus where the greatest comes first. */
export const formatSorting = ({ column, isDescending }: Sorting): string =>
  `${isDescending ? '-' : ''}${column}`;

export function parseSorting(text: unknown): Sorting | undefined {
  const { minus, column } =
    (typeof text === 'string' && /^(?<minus>-?)(?<column>\w+)$/.exec(text)?.groups) || {};
  return column === undefined ? undefined : { column, isDescending: minus === '-' };
}

/**
 * What a click on a header makes of the order: figures begin with the greatest, text with the first letter; the second
 * click turns that round, the third one gives the rows back as they came.
 */
export function nextSorting(
  before: Sorting | undefined,
  column: string,
  example: Sortable,
): Sorting | undefined {
  const first = { column, isDescending: typeof example !== 'string' };
  if (before?.column !== column) return first;
  return before.isDescending === first.isDescending
    ? { column, isDescending: !first.isDescending }
    : undefined;
}

/** The rows in order; those that are equal stay as they came. Text is ordered as the language does, "gpt-9" before "gpt-10". */
export function sortedBy<T>(
  rows: readonly T[],
  by: (row: T) => Sortable,
  isDescending: boolean,
  locale: string,
): readonly T[] {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const order = (a: Sortable, b: Sortable): number =>
    typeof a === 'string' || typeof b === 'string'
      ? compare(String(a), String(b))
      : a < b
        ? -1
        : Number(a > b);
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((a, b) => (isDescending ? order(b.value, a.value) : order(a.value, b.value)))
    .map(({ row }) => row);
}
