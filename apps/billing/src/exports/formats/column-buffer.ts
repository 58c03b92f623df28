import { type ColumnType, type ExportColumn, toMicros } from '../columns.ts';

/** The values of one column for the next row group. */
export interface ColumnBuffer {
  push(value: string | null | undefined): void;
  /** The values so far; the buffer is empty afterwards. */
  take(): unknown[] | BigInt64Array | Int32Array;
}

/** Distinct texts of a row group that are held once; columns with more have few that are alike. */
const SHARED_TEXTS = 1_024;

export function columnBuffer({ type, nullable }: ExportColumn, capacity: number): ColumnBuffer {
  if (type === 'text') return new TextBuffer();
  if (nullable) return new ValueBuffer(READERS[type]);
  if (type === 'int64') return new TypedBuffer(new BigInt64Array(capacity), BigInt);
  if (type === 'timestamp') return new TypedBuffer(new BigInt64Array(capacity), toMicros);
  if (type === 'int32') return new TypedBuffer(new Int32Array(capacity), Number);
  return new ValueBuffer(READERS[type]);
}

const READERS: Readonly<Record<Exclude<ColumnType, 'text'>, (value: string) => unknown>> = {
  boolean: (value) => value === 't',
  int32: Number,
  int64: BigInt,
  timestamp: toMicros,
  usd: BigInt,
  decimal: BigInt,
};

class ValueBuffer implements ColumnBuffer {
  readonly #read: (value: string) => unknown;
  #values: unknown[] = [];

  constructor(read: (value: string) => unknown) {
    this.#read = read;
  }

  push(value: string | null | undefined): void {
    this.#values.push(value === null || value === undefined ? undefined : this.#read(value));
  }

  take(): unknown[] {
    const values = this.#values;
    this.#values = [];
    return values;
  }
}

/** The database hands every text over as one of its own; most columns have a few that come again and again. */
class TextBuffer implements ColumnBuffer {
  readonly #shared = new Map<string, string>();
  #values: (string | undefined)[] = [];

  push(value: string | null | undefined): void {
    if (value === null || value === undefined) {
      this.#values.push(undefined);
      return;
    }
    const held = this.#shared.get(value);
    if (held === undefined && this.#shared.size < SHARED_TEXTS) this.#shared.set(value, value);
    this.#values.push(held ?? value);
  }

  take(): unknown[] {
    const values = this.#values;
    this.#values = [];
    this.#shared.clear();
    return values;
  }
}

class TypedBuffer<T extends BigInt64Array | Int32Array> implements ColumnBuffer {
  readonly #values: T;
  readonly #read: (value: string) => T[number];
  #length = 0;

  constructor(values: T, read: (value: string) => T[number]) {
    this.#values = values;
    this.#read = read;
  }

  push(value: string | null | undefined): void {
    if (value === null || value === undefined) throw new Error('a column that has no nulls was given one');
    this.#values[this.#length] = this.#read(value);
    this.#length += 1;
  }

  take(): BigInt64Array | Int32Array {
    const taken = this.#values.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
