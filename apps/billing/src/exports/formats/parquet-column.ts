import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import type { ExportColumn, Row } from '../columns.ts';
import type { Tuples } from '../tuples.ts';
import { TextMemo } from './text-memo.ts';
import { isBefore, type PlainType, sizeOfText, toPlainType } from './plain-values.ts';

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type MetaData = NonNullable<ColumnChunk['meta_data']>;
type Statistics = NonNullable<MetaData['statistics']>;

/** More takes more time than it saves space. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes, COMPRESSION);

/** After so many values it is decided whether values that come again are looked for. */
const SAMPLE = 1_024;
/** Not where more of these are values that had not come before. */
const SAMPLE_DISTINCT_MAX = 0.9 * SAMPLE;

/**
 * The values of one column for the next row group. They are bytes from the database's to the file's: each value that is not
 * among those of the row group yet is written behind these, and rows name their values.
 */
export class ParquetColumn {
  readonly #column: ExportColumn;
  readonly #physical: MetaData['type'];
  readonly #plain: PlainType;
  /** Values that differ, and where each ends. */
  #values = Buffer.allocUnsafeSlow(1 << 12);
  readonly #ends: Int32Array;
  #distinct = 0;
  /** Of each row that has a value, which. */
  readonly #indexes: Int32Array;
  #count = 0;
  /** What the values would take one after the other. */
  #plainBytes = 0;
  /** Of each row, 1 where it has a value. */
  readonly #levels: Uint8Array;
  #rows = 0;
  /** Values by their hash: one more than their place. */
  readonly #slots: Int32Array;
  /** Which value a text is: it need not be written to be found. */
  readonly #texts = new TextMemo<number>();
  #lastText: string | undefined;
  /** Nearly all values differ. */
  #isPlain = false;
  /** The last row had no field, and a count of zero is meant. */
  #wasNone = false;

  /** @param capacity how many rows it is given at most. */
  constructor(column: ExportColumn, physical: MetaData['type'], capacity: number) {
    this.#column = column;
    this.#physical = physical;
    this.#plain = toPlainType(column);
    this.#ends = new Int32Array(capacity);
    this.#indexes = new Int32Array(capacity);
    this.#levels = new Uint8Array(capacity);
    this.#slots = new Int32Array(2 * capacity);
  }

  pushTexts(rows: readonly Row[], column: number, begin: number, end: number): void {
    for (let row = begin; row < end; row += 1) {
      const value = rows[row]?.[column];
      if (value === null || value === undefined) this.#pushNull();
      else this.#pushText(value);
    }
  }

  #pushText(value: string): void {
    const last = this.#indexes[this.#count - 1] ?? 0;
    const known = value === this.#lastText ? last : this.#texts.get(value);
    this.#lastText = value;
    if (known !== undefined) {
      this.#put(known, this.#endOf(known) - this.#endOf(known - 1));
      return;
    }
    const at = this.#makeRoom(sizeOfText(value));
    this.#push(at, this.#plain.writeText(value, this.#values, at));
    this.#texts.set(value, this.#indexes[this.#count - 1] ?? 0);
  }

  pushTuples({ bytes, columns, starts }: Tuples, column: number, begin: number, end: number): void {
    const isCount = this.#column.type === 'int64' && this.#column.summed && !this.#column.nullable;
    for (let row = begin; row < end; row += 1) {
      const start = starts[row * columns + column] ?? -1;
      if (start < 0) {
        if (isCount) this.#pushZero();
        else this.#pushNull();
        continue;
      }
      this.#wasNone = false;
      const at = this.#makeRoom(this.#plain.sizeOf(bytes, start));
      this.#push(at, this.#plain.writeField(bytes, start, this.#values, at));
    }
  }

  #makeRoom(length: number): number {
    const used = this.#endOf(this.#distinct - 1);
    if (used + length > this.#values.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#values.length + length);
      larger.set(this.#values.subarray(0, used));
      this.#values = larger;
    }
    return used;
  }

  #endOf(place: number): number {
    return place < 0 ? 0 : (this.#ends[place] ?? 0);
  }

  #pushNull(): void {
    if (!this.#column.nullable) throw new Error('a column that has no nulls was given one');
    this.#levels[this.#rows] = 0;
    this.#rows += 1;
  }

  #pushZero(): void {
    if (this.#wasNone) {
      this.#put(this.#indexes[this.#count - 1] ?? 0, 8);
      return;
    }
    const at = this.#makeRoom(8);
    this.#values.fill(0, at, at + 8);
    this.#push(at, at + 8);
    this.#wasNone = true;
  }

  /** A value that stands behind those that there are. */
  #push(at: number, end: number): void {
    const place = this.#isPlain ? this.#distinct : this.#find(at, end);
    if (place === this.#distinct) {
      this.#ends[place] = end;
      this.#distinct += 1;
    }
    this.#put(place, end - at);
    if (this.#count === SAMPLE && this.#distinct > SAMPLE_DISTINCT_MAX) this.#isPlain = true;
  }

  #put(place: number, length: number): void {
    this.#indexes[this.#count] = place;
    this.#levels[this.#rows] = 1;
    this.#plainBytes += length;
    this.#count += 1;
    this.#rows += 1;
  }

  /** Which value it is; the next one where it had not come before. */
  #find(at: number, end: number): number {
    if (this.#count > 0) {
      const last = this.#indexes[this.#count - 1] ?? 0;
      if (this.#isSame(last, at, end)) return last;
    }
    const [values, slots] = [this.#values, this.#slots];
    let hash = end - at;
    for (let place = at; place < end; place += 1) hash = Math.imul(hash ^ (values[place] ?? 0), 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & (slots.length - 1);
    for (; ; slot = (slot + 1) & (slots.length - 1)) {
      const found = (slots[slot] ?? 0) - 1;
      if (found < 0) break;
      if (this.#isSame(found, at, end)) return found;
    }
    slots[slot] = this.#distinct + 1;
    return this.#distinct;
  }

  #isSame(place: number, at: number, end: number): boolean {
    const [values, begin] = [this.#values, this.#endOf(place - 1)];
    const length = end - at;
    if (this.#endOf(place) - begin !== length) return false;
    for (let index = 0; index < length; index += 1)
      if (values[begin + index] !== values[at + index]) return false;
    return true;
  }

  /** Writes what the row group has of the column; there is nothing of it afterwards. */
  write(writer: ByteWriter): ColumnChunk {
    const offset = writer.offset;
    const { page, encoding, dictionary } = this.#encode();
    const dictionaryAt = writer.offset;
    let uncompressed = 0;
    if (dictionary) uncompressed += writeDictionary(writer, dictionary, this.#distinct);
    const dataAt = writer.offset;
    const levels = new ByteWriter();
    if (this.#column.nullable) writeRleBitPackedHybrid(levels, this.#levels.subarray(0, this.#rows), 1);
    const compressed = compress(page);
    writePageHeader(writer, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.offset + page.length,
      compressed_page_size: levels.offset + compressed.length,
      data_page_header_v2: {
        num_values: this.#rows,
        num_nulls: this.#rows - this.#count,
        num_rows: this.#rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    uncompressed += writer.offset - dataAt + levels.offset + page.length;
    writer.appendBytes(levels.getBytes());
    writer.appendBytes(compressed);
    const meta_data: MetaData = {
      type: this.#physical,
      encodings: dictionary ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [this.#column.name],
      codec: 'ZSTD',
      num_values: BigInt(this.#rows),
      total_compressed_size: BigInt(writer.offset - offset),
      total_uncompressed_size: BigInt(uncompressed),
      data_page_offset: BigInt(dataAt),
      ...(dictionary ? { dictionary_page_offset: BigInt(dictionaryAt) } : {}),
      statistics: this.#statistics(),
    };
    this.#clear();
    return { meta_data, file_offset: BigInt(offset) };
  }

  #encode(): {
    readonly page: Uint8Array;
    readonly encoding: 'PLAIN' | 'RLE' | 'RLE_DICTIONARY';
    readonly dictionary?: Uint8Array;
  } {
    const values = this.#values.subarray(0, this.#endOf(this.#distinct - 1));
    const indexes = this.#indexes.subarray(0, this.#count);
    const page = new ByteWriter();
    if (this.#physical === 'BOOLEAN') {
      writeRleBitPackedHybrid(
        page,
        indexes.map((index) => values[index] ?? 0),
        1,
      );
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32LE(page.offset);
      return { page: Buffer.concat([length, page.getBytes()]), encoding: 'RLE' };
    }
    const bitWidth = this.#distinct < 2 ? 0 : 32 - Math.clz32(this.#distinct - 1);
    const size = values.length + Math.ceil((this.#count * bitWidth) / 8);
    // It must take half at most, or readers have the trouble of it for little.
    if (!this.#isPlain && this.#count > 0 && 2 * size <= this.#plainBytes) {
      page.appendUint8(bitWidth);
      writeRleBitPackedHybrid(page, indexes, bitWidth);
      return { page: page.getBytes(), encoding: 'RLE_DICTIONARY', dictionary: values };
    }
    if (this.#distinct === this.#count) return { page: values, encoding: 'PLAIN' };
    const all = Buffer.allocUnsafe(this.#plainBytes);
    let at = 0;
    for (const index of indexes) {
      const [begin, end] = [this.#endOf(index - 1), this.#endOf(index)];
      for (let place = begin; place < end; place += 1, at += 1) all[at] = values[place] ?? 0;
    }
    return { page: all, encoding: 'PLAIN' };
  }

  /** Readers pass over groups that cannot have what they look for. */
  #statistics(): Statistics {
    const null_count = BigInt(this.#rows - this.#count);
    if (this.#distinct === 0) return { null_count };
    const { order } = this.#plain;
    const [values, ends] = [this.#values, this.#ends];
    let [min, minEnd, begin] = [0, this.#endOf(0), this.#endOf(0)];
    let [max, maxEnd] = [min, minEnd];
    for (let place = 1; place < this.#distinct; place += 1) {
      const end = ends[place] ?? 0;
      if (isBefore(order, values, begin, end, min, minEnd)) [min, minEnd] = [begin, end];
      else if (isBefore(order, values, max, maxEnd, begin, end)) [max, maxEnd] = [begin, end];
      begin = end;
    }
    const read = (start: number, end: number) => this.#plain.read(values, start, end);
    return { min_value: read(min, minEnd), max_value: read(max, maxEnd), null_count };
  }

  #clear(): void {
    this.#distinct = this.#count = this.#rows = this.#plainBytes = 0;
    this.#isPlain = this.#wasNone = false;
    this.#slots.fill(0);
    this.#texts.clear();
    this.#lastText = undefined;
  }
}

/** @returns its bytes with its header, before they were compressed. */
function writeDictionary(writer: ByteWriter, values: Uint8Array, count: number): number {
  const offset = writer.offset;
  const compressed = compress(values);
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: values.length,
    compressed_page_size: compressed.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  });
  const header = writer.offset - offset;
  writer.appendBytes(compressed);
  return header + values.length;
}
