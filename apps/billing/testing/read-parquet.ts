import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';

const compressors = { ZSTD: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes) };
/** Times are microseconds since 1970, as they stand in the file. */
const parsers = { timestampFromMicroseconds: (micros: bigint) => micros };

/** The rows of a Parquet file, as a reader reads them that is not ours. */
export const readParquetRows = (bytes: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: Uint8Array.from(bytes).buffer, compressors, parsers });
