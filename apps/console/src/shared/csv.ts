type Cells = ReadonlyMap<string, string>;

/**
 * Rows as CSV, in the names and the exact values of the API: a column for each field, such as `budgets.daily_usd` for one
 * within another.
 */
export function toCsv(rows: readonly unknown[]): string {
  const flat = rows.map((row) => new Map(flatten(row, '')));
  const header = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const lines = flat.map((cells: Cells) => header.map((name) => cells.get(name) ?? ''));
  return [header, ...lines].map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
}

function* flatten(value: unknown, name: string): Generator<readonly [string, string]> {
  if (Array.isArray(value)) {
    const isPlain = value.every((each) => typeof each !== 'object');
    yield [name, isPlain ? value.join(' ') : JSON.stringify(value)];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* flatten(inner, name === '' ? key : `${name}.${key}`);
  } else if (value !== null && value !== undefined) {
    yield [name, String(value)];
  } else {
    yield [name, ''];
  }
}

/** What a spreadsheet would take for a formula; numbers are none. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

function toCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
