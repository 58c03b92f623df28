import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** A window of 8 MiB, which RFC 8878 asks of every decoder; more is memory that a few bytes can claim. */
const ZSTD_WINDOW_LOG = 23;

/** By the name of the coding, and by the first byte that came. */
const DECODERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // It means the zlib format; some send what that wraps without the wrapping.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

export const CODINGS = 'gzip, deflate, br or zstd';

/** The coding of a Content-Encoding: undefined for none, null for one that is not understood, or more than one. */
export function parseContentCoding(header: string | undefined): string | undefined | null {
  const coding = header?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  return Object.hasOwn(DECODERS, coding) ? coding : null;
}

/** What unpacks bytes of a coding that {@link parseContentCoding} named. */
export const createDecoder = (coding: string, first: number): Transform | undefined =>
  DECODERS[coding]?.(first);

/** Up to this many bytes any ratio is taken: a small text may be very regular. */
const FREE_BYTES = 1024 * 1024;
/** Whether what is packed unpacks to more than so many times its size. */
export const isBomb = (packed: number, unpacked: number, maxRatio: number): boolean =>
  unpacked > FREE_BYTES && unpacked > packed * maxRatio;
