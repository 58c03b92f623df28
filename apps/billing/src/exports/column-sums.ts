import type { ColumnType, ExportColumn, Row } from './columns.ts';
import type { PageContent } from './sources/source.ts';
import { NUMERIC_HEAD_BYTES, readInt16, readInt32, readWhole, type Tuples } from './tuples.ts';

/** Adds up the columns whose sums the manifest states. */
export class ColumnSums {
  readonly #columns: readonly {
    readonly index: number;
    readonly name: string;
    readonly type: ColumnType;
  }[];
  readonly #sums: bigint[];

  /** @param begun what its rows so far add up to. */
  constructor(columns: readonly ExportColumn[], begun: Readonly<Record<string, string>> = {}) {
    this.#columns = columns.flatMap(({ name, type, summed }, index) =>
      summed ? [{ index, name, type }] : [],
    );
    this.#sums = this.#columns.map(({ name }) => BigInt(begun[name] ?? 0));
  }

  add(content: PageContent): void {
    for (const [place, { index, type }] of this.#columns.entries()) {
      const sum = 'rows' in content ? sumTexts(content.rows, index) : sumTuples(content.tuples, index, type);
      this.#sums[place] = (this.#sums[place] ?? 0n) + sum;
    }
  }

  /** Whole numbers in digits; amounts are pico-USD. */
  totals(): Record<string, string> {
    return Object.fromEntries(
      this.#columns.map(({ name }, place) => [name, String(this.#sums[place] ?? 0n)]),
    );
  }
}

/** So many digits are a whole number that JavaScript has exactly, and so are a few hundred of these together. */
const SMALL_DIGITS = 13;
const SMALL_MAX = 2 ** 52;

function sumTexts(rows: readonly Row[], index: number): bigint {
  let [sum, small] = [0n, 0];
  for (const row of rows) {
    const value = row[index];
    if (value === null || value === undefined || value === '0') continue;
    if (value.length > SMALL_DIGITS) sum += BigInt(value);
    else small += Number(value);
    if (small < -SMALL_MAX || small > SMALL_MAX) [sum, small] = [sum + BigInt(small), 0];
  }
  return sum + BigInt(small);
}

const sumTuples = (tuples: Tuples, index: number, type: ColumnType): bigint =>
  type === 'usd' ? sumNumerics(tuples, index) : sumInt64s(tuples, index);

/** Halves of 32 bits are added up apart: of 2^21 rows, neither sum leaves what a number holds exactly. */
const ROWS_MAX = 2 ** 21;

function sumInt64s({ bytes, rows, columns, starts }: Tuples, index: number): bigint {
  if (rows > ROWS_MAX) throw new RangeError(`${rows} rows are too many for a page`);
  let [high, low] = [0, 0];
  for (let field = index; field < starts.length; field += columns) {
    const start = starts[field] ?? -1;
    if (start < 0) continue;
    high += readInt32(bytes, start);
    low += readInt32(bytes, start + 4) >>> 0;
  }
  return (BigInt(high) << 32n) + BigInt(low);
}

const NUMERIC_BASE = 10_000n;

/** The digits of each power of 10,000 are added up apart. */
function sumNumerics({ bytes, columns, starts }: Tuples, index: number): bigint {
  const sums: number[] = [];
  for (let field = index; field < starts.length; field += columns) {
    const start = starts[field] ?? -1;
    if (start < 0) continue;
    const { digits, weight, isNegative } = readWhole(bytes, start);
    for (let place = 0; place < digits; place += 1) {
      const digit = readInt16(bytes, start + NUMERIC_HEAD_BYTES + 2 * place);
      sums[weight - place] = (sums[weight - place] ?? 0) + (isNegative ? -digit : digit);
    }
  }
  let sum = 0n;
  for (let power = sums.length - 1; power >= 0; power -= 1)
    sum = sum * NUMERIC_BASE + BigInt(sums[power] ?? 0);
  return sum;
}

/** The sum over several parts. */
export function addSums(
  columns: readonly ExportColumn[],
  parts: readonly Readonly<Record<string, string>>[],
): Record<string, string> {
  const summed = columns.filter((column) => column.summed);
  return Object.fromEntries(
    summed.map(({ name }) => [
      name,
      String(parts.reduce((sum, part) => sum + BigInt(part[name] ?? '0'), 0n)),
    ]),
  );
}
