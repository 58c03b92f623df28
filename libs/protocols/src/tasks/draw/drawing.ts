import { findOwn, type TokenCounts } from '@tollgate/vocabulary';
import type { WrittenTask } from '../convert-task.ts';

/** What is to be drawn, in the words that more than one vendor has. */
export interface DrawRequest {
  readonly prompt: string;
  readonly count: number;
  /** Undefined where the vendor chooses. */
  readonly size: DrawSize | undefined;
  /** Of the file: `image/png` and so on; undefined where the vendor chooses. */
  readonly mimeType: string | undefined;
  /** From 0 to 100. */
  readonly compression: number | undefined;
  /** Fields that another vendor has nothing for and that only hint, such as a quality. */
  readonly hints: readonly string[];
  /** The first field that no other vendor can be told, though the picture would be another one. */
  readonly uncarried: { readonly param: string; readonly message: string } | undefined;
}

/** A shape, and how long its longer side is. */
interface DrawSize {
  /** Such as `16:9`. */
  readonly ratio: string;
  readonly resolution: '1K' | '2K' | '4K' | undefined;
  /** The field of the request that says it, and what it says. */
  readonly param: string;
  readonly said: string;
}

/** A picture as base64, or where it is. */
export interface Picture {
  readonly data?: string;
  readonly url?: string;
  readonly mimeType?: string | undefined;
  readonly revisedPrompt?: string | undefined;
}

export interface DrawAnswer {
  readonly pictures: readonly Picture[];
  /** As the upstream reports them; undefined where it bills by the picture. */
  readonly tokens: TokenCounts | undefined;
}

/** The longest side of a picture of a resolution, whatever its shape: 21:9 is the longest there is. */
const LONGEST = [
  [1_600, '1K'],
  [3_200, '2K'],
] as const;

/** What a size in pixels means where vendors name shapes: `1536x1024` is 3:2. */
export function toDrawSize(param: string, width: number, height: number): DrawSize {
  const divisor = greatestDivisor(width, height);
  const longest = Math.max(width, height);
  const resolution = LONGEST.find(([most]) => longest <= most)?.[1] ?? '4K';
  return { ratio: `${width / divisor}:${height / divisor}`, resolution, param, said: `${width}x${height}` };
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** Pixels on both sides, as multiples of 16, which OpenAI's models ask for. */
export function toPixels({ ratio, resolution }: DrawSize): string | undefined {
  const sides = findOwn(PIXELS, ratio);
  if (!sides) return undefined;
  const times = resolution === '2K' ? 2 : 1;
  return sides.map((side) => side * times).join('x');
}

const PIXELS: Readonly<Record<string, readonly [number, number]>> = {
  '1:1': [1_024, 1_024],
  '2:3': [1_024, 1_536],
  '3:2': [1_536, 1_024],
  '3:4': [1_152, 1_536],
  '4:3': [1_536, 1_152],
  '9:16': [1_008, 1_792],
  '16:9': [1_792, 1_008],
};

/** What keeps a request from being said by a vendor that knows these shapes and resolutions alone. */
export function findUndrawable(
  { uncarried, size }: DrawRequest,
  knows: { readonly ratios: readonly string[]; readonly resolutions: readonly string[] },
): WrittenTask | undefined {
  if (uncarried) return { ok: false, ...uncarried };
  if (!size) return undefined;
  const { ratio, resolution, param, said } = size;
  if (!knows.ratios.includes(ratio))
    return {
      ok: false,
      param,
      message: `the upstream of this model draws no ${said}, but the shapes ${knows.ratios.join(', ')}`,
    };
  if (resolution !== undefined && !knows.resolutions.includes(resolution))
    return { ok: false, param, message: `the upstream of this model draws nothing as large as ${said}` };
  return undefined;
}
