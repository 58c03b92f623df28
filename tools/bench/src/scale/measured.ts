// What docs/scale.md is worked out from: the tables that benchmarks have written into docs/benchmarks.md.
import { readPart } from '../write-part.ts';

type Row = Readonly<Record<string, string>>;

const toCells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of all tables, by the heads of their columns. */
export function readRows(text: string): Row[] {
  const rows: Row[] = [];
  let head: readonly string[] | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) head = undefined;
    else if (!head) head = toCells(line);
    else if (!/^[|\s:-]+$/.test(line)) {
      const cells = toCells(line);
      rows.push(Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
    }
  }
  return rows;
}

function readMeasured(part: string) {
  const text = readPart('benchmarks.md', part);
  const [day] = /\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day === undefined) throw new Error(`the ${part} of docs/benchmarks.md has no date`);
  return { text, day, rows: readRows(text) };
}

/** @throws where there is none. */
function readNumber(row: Row | undefined, column: string): number {
  const value = Number(row?.[column] || Number.NaN);
  if (Number.isNaN(value)) throw new Error(`docs/benchmarks.md has no ${column} where it is looked for`);
  return value;
}

const relay = readMeasured('relay');
const posting = readMeasured('posting');
const turn = readMeasured('turn');
const live = readMeasured('live');

const CPU_OF_QUEUE = 'microseconds of CPU an event';
const TURN_OF_BATCH = 'milliseconds of a batch that nobody is before';
const chat = relay.rows.find((row) => row.case === 'chat, 1 KB' && row.relay === 'tollgate');
const findPosting = (column: string, first: string) =>
  posting.rows.find((row) => row[column]?.startsWith(first));

/** What an event costs the books: microseconds of CPU, and bytes. */
export interface BookCost {
  /** Events a second, of one deployment. */
  readonly rate: number;
  /** Of a transaction of the database; unknown where a backlog was posted. */
  readonly batch: number | undefined;
  readonly billing: number;
  readonly postgres: number;
  readonly redis: number;
  readonly log: number;
  readonly written: number;
  readonly kept: number;
  readonly day: string;
}

const atRates = live.rows.map((row): BookCost => ({
  rate: readNumber(row, 'events/s'),
  batch: readNumber(row, 'to a commit'),
  billing: readNumber(row, 'billing, µs'),
  postgres: readNumber(row, 'PostgreSQL, µs'),
  redis: readNumber(row, 'Redis, µs'),
  log: readNumber(row, 'log of PostgreSQL, bytes'),
  written: readNumber(row, 'written to the disk, bytes'),
  kept: readNumber(row, 'kept, bytes'),
  day: live.day,
}));

const FULL = 'queue to books, 3 billings, warm';
const full = findPosting(CPU_OF_QUEUE, FULL);
const [sizes = '{}'] = /\{.*\}/.exec(posting.text) ?? [];

/** Of a backlog, whose batches are full: the rate is what it was posted at. */
const ofBacklog: BookCost = {
  rate: readNumber(findPosting('work', FULL), 'events/s'),
  batch: undefined,
  billing: readNumber(full, 'billing'),
  postgres: readNumber(full, 'PostgreSQL'),
  redis: readNumber(full, 'Redis'),
  // Not measured of a backlog.
  log: atRates.at(-1)?.log ?? Number.NaN,
  written: atRates.at(-1)?.written ?? Number.NaN,
  kept: Object.values(JSON.parse(sizes) as Record<string, number>).reduce((sum, each) => sum + each, 0),
  day: posting.day,
};

/** In the order of their rates. */
export const BOOKS: readonly BookCost[] = [...atRates, ofBacklog];

/** Microseconds of CPU of a chat of 1 KB, of gateways under full load. */
export const GATEWAY = { us: readNumber(chat, 'CPU µs'), day: relay.day };
/** What Redis does for it beside the usage queue. */
export const LIMITS = { us: readNumber(chat, 'Redis µs') - ofBacklog.redis, day: relay.day };

interface Turn {
  readonly events: number;
  readonly keys: number;
  /** Milliseconds in which no other batch ends. */
  readonly sums: number;
  readonly commit: number;
  readonly day: string;
}

const toTurn = (row: Row | undefined): Turn => ({
  events: Number.parseInt(row?.[TURN_OF_BATCH] ?? '', 10),
  keys: readNumber(row, 'keys'),
  sums: readNumber(row, 'sums'),
  commit: readNumber(row, 'commit'),
  day: turn.day,
});

/** The largest batch of production: of the keys that the books were measured with, and where each event has another. */
export const TURN = toTurn(turn.rows.at(-2));
export const TURN_OF_MANY_KEYS = toTurn(turn.rows.at(-1));

/** Of an event, in microseconds. */
export const toTurnUs = ({ events, sums, commit }: Turn): number => ((sums + commit) * 1_000) / events;
