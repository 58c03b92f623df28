import type { ParquetWriter } from 'hyparquet-writer';
import { type ColumnType, type ExportColumn, toMicros } from '../columns.ts';
import { lengthAt, readInt32, readMicros, readPico } from '../tuples.ts';
import { writeUuid } from './digits.ts';

/** What a row group says of a column: readers pass over groups that cannot have what they look for. */
type Statistics = NonNullable<
  NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>['statistics']
>;
type Value = string | boolean | number | bigint;

/** The values of one column for the next row group. */
export interface ColumnBuffer {
  push(value: string | null | undefined): void;
  /** A field as the database has sent it. @param start -1 where it is null. */
  pushField(bytes: Buffer, start: number): void;
  /** The values so far; the buffer is empty afterwards. */
  take(): { readonly values: unknown[] | BigInt64Array | Int32Array; readonly statistics: Statistics };
}

/** Distinct texts of a row group that are held once; columns with more have few that are alike. */
const SHARED_TEXTS = 1_024;

export function columnBuffer({ type, nullable, uuid, summed }: ExportColumn, capacity: number): ColumnBuffer {
  if (type === 'text') return new TextBuffer(uuid ? readUuid : readText);
  const [read, field] = [READERS[type], FIELD_READERS[type]];
  if (nullable) return new ValueBuffer(read, field);
  if (type === 'int64')
    return new TypedBuffer(
      new BigInt64Array(capacity),
      BigInt,
      (bytes, start) => bytes.readBigInt64BE(start),
      summed ? 0n : undefined,
    );
  if (type === 'timestamp')
    return new TypedBuffer(new BigInt64Array(capacity), toMicros, (bytes, start) =>
      BigInt(readMicros(bytes, start)),
    );
  if (type === 'int32') return new TypedBuffer(new Int32Array(capacity), Number, readInt32);
  return new ValueBuffer(read, field);
}

const READERS: Readonly<Record<Exclude<ColumnType, 'text'>, (value: string) => Value>> = {
  boolean: (value) => value === 't',
  int32: Number,
  int64: BigInt,
  timestamp: toMicros,
  usd: BigInt,
  decimal: BigInt,
};

type FieldReader<T extends Value> = (bytes: Buffer, start: number) => T;
const readText = (bytes: Buffer, start: number): string =>
  bytes.toString('utf8', start, start + lengthAt(bytes, start));
const readUuid = (bytes: Buffer, start: number): string => {
  const text = Buffer.allocUnsafe(36);
  writeUuid(bytes, start, text, 0);
  return text.toString('latin1');
};
const FIELD_READERS: Readonly<Record<Exclude<ColumnType, 'text'>, FieldReader<Value>>> = {
  boolean: (bytes, start) => bytes[start] === 1,
  int32: readInt32,
  int64: (bytes, start) => bytes.readBigInt64BE(start),
  timestamp: (bytes, start) => BigInt(readMicros(bytes, start)),
  usd: readPico,
  decimal: () => {
    throw new Error('the database does not send decimals');
  },
};

/**
 * The least and the greatest value. The writer finds its own by comparing every value twice, texts character by character, which
 * took half of what writing a file did: most values are those of the row before, or were met in the row group already.
 */
class Extent<T extends Value> {
  readonly #isBefore: (one: T, other: T) => boolean;
  #min: T | undefined;
  #max: T | undefined;
  nulls = 0;

  constructor(isBefore: (one: T, other: T) => boolean = (one, other) => one < other) {
    this.#isBefore = isBefore;
  }

  add(value: T): void {
    if (this.#min === undefined || this.#isBefore(value, this.#min)) this.#min = value;
    if (this.#max === undefined || this.#isBefore(this.#max, value)) this.#max = value;
  }

  take(): Statistics {
    const taken = {
      ...(this.#min === undefined ? {} : { min_value: this.#min, max_value: this.#max }),
      null_count: BigInt(this.nulls),
    } as Statistics;
    this.#min = this.#max = undefined;
    this.nulls = 0;
    return taken;
  }
}

class ValueBuffer implements ColumnBuffer {
  readonly #read: (value: string) => Value;
  readonly #extent = new Extent<Value>();
  #values: (Value | undefined)[] = [];
  #last: string | undefined;
  #lastValue: Value | undefined;

  readonly #field: FieldReader<Value>;

  constructor(read: (value: string) => Value, field: FieldReader<Value>) {
    this.#read = read;
    this.#field = field;
  }

  pushField(bytes: Buffer, start: number): void {
    if (start < 0) {
      this.#extent.nulls += 1;
      this.#values.push(undefined);
      return;
    }
    const value = this.#field(bytes, start);
    this.#extent.add(value);
    this.#values.push(value);
  }

  push(value: string | null | undefined): void {
    if (value === null || value === undefined) {
      this.#extent.nulls += 1;
      this.#values.push(undefined);
      return;
    }
    if (value !== this.#last) {
      this.#last = value;
      this.#lastValue = this.#read(value);
      this.#extent.add(this.#lastValue);
    }
    this.#values.push(this.#lastValue);
  }

  take() {
    const values = this.#values;
    this.#values = [];
    this.#last = undefined;
    return { values, statistics: this.#extent.take() };
  }
}

/** The database hands every text over as one of its own; most columns have a few that come again and again. */
class TextBuffer implements ColumnBuffer {
  readonly #shared = new Map<string, string>();
  readonly #extent = new Extent<string>(isTextBefore);
  #values: (string | undefined)[] = [];
  readonly #field: FieldReader<string>;

  constructor(field: FieldReader<string>) {
    this.#field = field;
  }

  pushField(bytes: Buffer, start: number): void {
    this.push(start < 0 ? null : this.#field(bytes, start));
  }

  push(value: string | null | undefined): void {
    if (value === null || value === undefined) {
      this.#extent.nulls += 1;
      this.#values.push(undefined);
      return;
    }
    const held = this.#shared.get(value);
    if (held === undefined) {
      if (this.#shared.size < SHARED_TEXTS) this.#shared.set(value, value);
      this.#extent.add(value);
    }
    this.#values.push(held ?? value);
  }

  take() {
    const values = this.#values;
    this.#values = [];
    this.#shared.clear();
    return { values, statistics: this.#extent.take() };
  }
}

/** From here on the order of UTF-16 is not that of UTF-8, which files are ordered by. */
const UNLIKE_UTF8 = /[\ud800-\uffff]/;
const isTextBefore = (one: string, other: string): boolean =>
  UNLIKE_UTF8.test(one) || UNLIKE_UTF8.test(other)
    ? Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
    : one < other;

class TypedBuffer<T extends BigInt64Array | Int32Array> implements ColumnBuffer {
  readonly #values: T;
  readonly #read: (value: string) => T[number];
  readonly #extent = new Extent<T[number]>();
  #length = 0;
  #last: string | undefined;
  #lastValue: T[number] | undefined;

  readonly #field: FieldReader<T[number]>;
  readonly #none: T[number] | undefined;

  /** @param none what is meant where there is no field. */
  constructor(
    values: T,
    read: (value: string) => T[number],
    field: FieldReader<T[number]>,
    none?: T[number],
  ) {
    this.#values = values;
    this.#read = read;
    this.#field = field;
    this.#none = none;
  }

  pushField(bytes: Buffer, start: number): void {
    const value = start < 0 ? this.#none : this.#field(bytes, start);
    if (value === undefined) throw new Error('a column that has no nulls was given one');
    this.#extent.add(value);
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  push(value: string | null | undefined): void {
    if (value === null || value === undefined) throw new Error('a column that has no nulls was given one');
    if (value !== this.#last || this.#lastValue === undefined) {
      this.#last = value;
      this.#lastValue = this.#read(value);
      this.#extent.add(this.#lastValue);
    }
    this.#values[this.#length] = this.#lastValue;
    this.#length += 1;
  }

  take() {
    const values = this.#values.subarray(0, this.#length);
    this.#length = 0;
    this.#last = undefined;
    return { values, statistics: this.#extent.take() };
  }
}
