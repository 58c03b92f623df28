import type { ExportColumn, Row } from './columns.ts';

/** Adds up the columns whose sums the manifest states. */
export class ColumnSums {
  readonly #columns: readonly { readonly index: number; readonly name: string }[];
  readonly #sums: bigint[];

  /** @param begun what its rows so far add up to. */
  constructor(columns: readonly ExportColumn[], begun: Readonly<Record<string, string>> = {}) {
    this.#columns = columns.flatMap(({ name, summed }, index) => (summed ? [{ index, name }] : []));
    this.#sums = this.#columns.map(({ name }) => BigInt(begun[name] ?? 0));
  }

  add(rows: readonly Row[]): void {
    for (const [place, { index }] of this.#columns.entries()) {
      let sum = this.#sums[place] ?? 0n;
      for (const row of rows) {
        const value = row[index];
        if (value !== null && value !== undefined && value !== '0') sum += BigInt(value);
      }
      this.#sums[place] = sum;
    }
  }

  /** What the columns of a page add up to, in the order of the columns. */
  addSums(sums: readonly bigint[]): void {
    for (const [place, sum] of sums.entries()) this.#sums[place] = (this.#sums[place] ?? 0n) + sum;
  }

  /** Whole numbers in digits; amounts are pico-USD. */
  totals(): Record<string, string> {
    return Object.fromEntries(
      this.#columns.map(({ name }, place) => [name, String(this.#sums[place] ?? 0n)]),
    );
  }
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
