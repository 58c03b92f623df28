import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { divideHalfEven } from '@tollgate/money';
import {
  INVOICE_COLUMNS,
  INVOICE_COUNTS,
  type InvoiceColumn,
  type RefusalCode,
  REQUIRED_INVOICE_COLUMNS,
} from '@tollgate/vocabulary';
import { CsvError, type Info, parse } from 'csv-parse';
import type { SideRow } from './compare.ts';

/** Places that are summed exactly; invoices are known to print more than the twelve of a pico-USD. */
const PLACES = 30;
const PER_PICO = 10n ** BigInt(PLACES - 12);

/** Reads a decimal of at most thirty places, negative ones included. Undefined for anything else. */
function parseExact(text: string): bigint | undefined {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,30}))?$/.exec(text);
  if (!match) return undefined;
  const value = BigInt(`${match[2]}${(match[3] ?? '').padEnd(PLACES, '0')}`);
  return match[1] === '-' ? -value : value;
}

/** Rounds a sum of {@link parseExact} to pico-USD, half to even. */
const toPico = (exact: bigint): bigint => divideHalfEven(exact, PER_PICO);

const REQUIRED: ReadonlySet<string> = new Set(REQUIRED_INVOICE_COLUMNS);

/** What is read well within the time that a request may take to arrive. */
const MAX_INVOICE_BYTES = 16 * 1024 * 1024;
const MAX_RECORD_BYTES = 64 * 1024;
/** Days times models. */
const MAX_ROWS = 100_000;

type InvoiceCode = Extract<RefusalCode, `invoice_${string}`>;

/** An invoice that cannot be read; the message names the line. */
export class InvoiceError extends Error {
  override readonly name = 'InvoiceError';
  readonly code: InvoiceCode;
  readonly values: Readonly<Record<string, string | number>>;
  constructor(message: string, code: InvoiceCode, values: Readonly<Record<string, string | number>> = {}) {
    super(message);
    this.code = code;
    this.values = values;
  }

  get status(): 400 | 413 {
    return this.code === 'invoice_too_large' || this.code === 'invoice_too_many_rows' ? 413 : 400;
  }
}

interface Invoice {
  /** A row for each day and model, however many lines of the file it stands on. */
  readonly rows: readonly SideRow[];
  readonly lines: number;
  readonly sha256: string;
  readonly bytes: number;
}

type Sums = Record<(typeof INVOICE_COUNTS)[number], bigint | null> & {
  day: string;
  model: string;
  exact: bigint;
};
interface Parsed {
  readonly record: string[];
  readonly info: Info;
}

/**
 * Reads an upstream's invoice as CSV (RFC 4180, UTF-8) in passing: what is held is a sum for each day and model.
 *
 * @param headers the file's own names of columns, where they differ from ours.
 * @throws InvoiceError
 */
export async function readInvoice(
  file: Readable,
  headers: Partial<Record<InvoiceColumn, string>>,
  maxBytes = MAX_INVOICE_BYTES,
): Promise<Invoice> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* () {
    // Leaving the file open lets the answer reach those who are still sending it.
    for await (const chunk of file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new InvoiceError(
          `The file is larger than ${maxBytes} bytes. Send it in parts, by day or model.`,
          'invoice_too_large',
          { max: maxBytes },
        );
      hash.update(chunk);
      yield chunk;
    }
  };
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, max_record_size: MAX_RECORD_BYTES });
  const source = Readable.from(counted());
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  const sums = new Map<string, Sums>();
  let places: Places | undefined;
  let lines = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (!places) {
        places = placesIn(record, headers);
        continue;
      }
      lines += 1;
      add(sums, readLine(record, places, info.lines));
      if (sums.size > MAX_ROWS)
        throw new InvoiceError(
          `Line ${info.lines}: more than ${MAX_ROWS} days and models. Send it in parts.`,
          'invoice_too_many_rows',
          { line: info.lines, max: MAX_ROWS },
        );
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new InvoiceError(
        `Line ${String(error['lines'])}: this is not CSV. ${error.message}.`,
        'invoice_not_csv',
        { line: String(error['lines']) },
      );
    throw error;
  } finally {
    source.destroy();
  }
  if (lines === 0) throw new InvoiceError('The file has no lines below its header.', 'invoice_empty');
  const rows = [...sums.values()].map(({ exact, ...row }) => ({ ...row, amount_pico: toPico(exact) }));
  return { rows, lines, sha256: hash.digest('hex'), bytes };
}

type Places = Partial<Record<InvoiceColumn, number>>;

function placesIn(header: readonly string[], headers: Partial<Record<InvoiceColumn, string>>): Places {
  const places: Places = {};
  for (const column of INVOICE_COLUMNS) {
    const name = headers[column] ?? column;
    const at = header.findIndex((each) => each.trim() === name);
    if (at !== header.findLastIndex((each) => each.trim() === name))
      throw new InvoiceError(`Line 1: the column "${name}" is there twice.`, 'invoice_column_twice', {
        column: name,
      });
    if (at >= 0) places[column] = at;
    else if (headers[column] !== undefined || REQUIRED.has(column))
      throw new InvoiceError(
        `Line 1: there is no column "${name}". Name the one that holds it by column.${column}=…; there are: ${header.join(', ')}.`,
        'invoice_column_missing',
        { column: name, columns: header.join(', ') },
      );
  }
  return places;
}

function readLine(record: readonly string[], places: Places, line: number): Sums {
  const value = (column: InvoiceColumn): string | undefined => {
    const at = places[column];
    return at === undefined ? undefined : (record[at] ?? '').trim();
  };
  const wrong = (column: InvoiceColumn, expected: string, code: InvoiceCode) => {
    const is = value(column) ?? '';
    const message = `Line ${line}: ${column} is "${is}", which is not ${expected}.`;
    return new InvoiceError(message, code, { line, column, value: is });
  };
  const day = value('day') ?? '';
  if (!isDay(day)) throw wrong('day', 'a day such as 2026-11-21', 'invoice_day_wrong');
  const model = value('model') ?? '';
  if (model === '' || model.includes('\0')) throw wrong('model', "a model's name", 'invoice_model_wrong');
  const exact = parseExact(value('amount_usd') ?? '');
  if (exact === undefined)
    throw wrong(
      'amount_usd',
      'a decimal of at most 30 places, without currency sign or thousands separator',
      'invoice_amount_wrong',
    );
  const count = (column: (typeof INVOICE_COUNTS)[number]): bigint | null => {
    const text = value(column);
    if (text === undefined) return null;
    if (!/^\d{1,18}$/.test(text)) throw wrong(column, 'a whole number', 'invoice_count_wrong');
    return BigInt(text);
  };
  return {
    day,
    model,
    exact,
    requests: count('requests'),
    input_tokens: count('input_tokens'),
    cached_tokens: count('cached_tokens'),
    output_tokens: count('output_tokens'),
  };
}

const isDay = (text: string): boolean =>
  /^(19|20|21)\d\d-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

function add(sums: Map<string, Sums>, line: Sums): void {
  const key = JSON.stringify([line.day, line.model]);
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, line);
    return;
  }
  sum.exact += line.exact;
  for (const column of INVOICE_COUNTS) {
    const [a, b] = [sum[column], line[column]];
    sum[column] = a === null || b === null ? null : a + b;
  }
}
