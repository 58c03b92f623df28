import { CODECS } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { mediaTokens } from './bound.ts';

/** Hundredths of a token per character by class, fitted loosely to common tokenisers: they err by a fifth, not by a factor. */
const WEIGHT = { latin: 25, wide: 80, digit: 40, space: 5, symbol: 50 };
const WHOLE = 100;
/** What the third letter of a cluster weighs more; fitted to random letters, which are 0.63 of a token each, where English ones are 0.25. */
const DENSE = 80;

/** Weighs a text that comes in pieces: they are worth what the whole is. */
interface TokenScale {
  /** The fraction of tokens that the next piece is worth. */
  weigh(piece: string): number;
}

/**
 * The weight of a text is a sum over its characters. Of letters and digits in a row without a vowel among them, those from the
 * third on weigh more: words have few such, and random letters, keys and base64 many, which tokenisers cut into small pieces.
 */
export function createTokenScale(): TokenScale {
  const before: Before = { last: 0, second: 0 };
  return {
    weigh(piece) {
      let weight = 0;
      for (let at = 0; at < piece.length; at += UNITS)
        weight += weighUnits(readUnits(piece, at, Math.min(piece.length, at + UNITS)), before);
      return weight / WHOLE;
    },
  };
}

/** What the two characters before are, as far as that matters for the next one. */
interface Before {
  last: number;
  second: number;
}

/** So many characters are weighed at once. */
const UNITS = 16_384;
const scratch = Buffer.alloc(2 * UNITS);
const units = new Uint16Array(scratch.buffer, scratch.byteOffset, UNITS);
/** Fewer characters are read one by one, which costs less than a call. */
const READ_AT_ONCE = 256;

/** Puts characters where {@link weighUnits} finds them. Asked one by one, V8 looks each time how it keeps the text. */
function readUnits(text: string, from: number, to: number): number {
  if (to - from >= READ_AT_ONCE) return scratch.write(text.slice(from, to), 'utf16le') / 2;
  for (let at = from; at < to; at += 1) units[at - from] = text.charCodeAt(at);
  return to - from;
}

/** Hundredths of a token. No look into the table waits for the one before: the processor does several at a time. */
function weighUnits(length: number, before: Before): number {
  const table = (signs ??= Uint16Array.from({ length: 0x1_0000 }, (_, code) => signOf(code)));
  let { last, second } = before;
  let weight = 0;
  let dense = 0;
  for (let at = 0; at < length; at += 1) {
    const sign = table[units[at] ?? 0] ?? 0;
    weight += sign >> SIGN_BITS;
    dense += (sign >> 1) & last & second & 1;
    second = last;
    last = sign;
  }
  before.last = last;
  before.second = second;
  return weight + DENSE * dense;
}

/** The fraction of tokens that a whole text is worth. */
export const tokenWeight = (text: string): number => createTokenScale().weigh(text);

function weightOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return WEIGHT.latin;
  if (code <= 0x20) return WEIGHT.space;
  if (code >= 0x41 && code <= 0x5a) return WEIGHT.latin;
  if (code >= 0x30 && code <= 0x39) return WEIGHT.digit;
  if (code < 0xc0) return WEIGHT.symbol;
  const rare = RARE.find(([first, last]) => code >= first && code <= last);
  if (rare) return rare[2];
  return code < 0x2e80 ? WEIGHT.latin * 2 : WEIGHT.wide;
}

/** Scripts of which tokenisers have seen little: a letter is one token to three, of its three bytes. */
const RARE: readonly (readonly [first: number, last: number, weight: number])[] = [
  [0x0700, 0x08ff, 100],
  [0x0f00, 0x0fff, 205],
  [0x1000, 0x109f, 120],
  [0x1200, 0x167f, 250],
  [0x1680, 0x17ff, 150],
  [0x1800, 0x1cff, 250],
  [0x2800, 0x28ff, 250],
  [0x2c00, 0x2e7f, 250],
  [0x3400, 0x4dbf, 250],
  [0xa000, 0xabff, 250],
];

/** Behind the weight of a character: whether it is such a letter, and whether it may stand in a cluster. */
const SIGN_BITS = 2;
/** Made for the first text: whoever only reads what was metered starts without it. */
let signs: Uint16Array | undefined;

function signOf(code: number): number {
  const character = String.fromCharCode(code);
  const isLetter = /^[b-df-hj-np-tv-xz]$/i.test(character);
  const isClustered = isLetter || /^[0-9]$/.test(character);
  return (weightOf(code) << SIGN_BITS) | (isLetter ? 0b10 : 0) | (isClustered ? 0b01 : 0);
}

/** A text's estimated tokens, at least one for any text. */
export const estimateTokens = (text: string): number => Math.ceil(tokenWeight(text));

/**
 * Of a long text so many characters in a row are weighed out of each part of it, at a place in the part that nobody can foresee:
 * a text could be heavy elsewhere. Parts are as long as `part`, or shorter where they would be fewer than `parts`.
 */
const SAMPLE = { from: 262_144, part: 1_024, parts: 512, window: 64 };
/** What stands so near before a window says all that its characters must know of those before. */
const LEAD = 2;

/** Of this process: the same text is estimated alike as long as it runs. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/**
 * As {@link tokenWeight}, of which a long text is sampled: a sixteenth of it, or an eighth of a text that is just long. What people
 * and programs write is met within a hundredth; where a text is made to be as uneven as can be, the standard error is a tenth.
 */
function sampledWeight(text: string, seed: number): number {
  const { length } = text;
  if (length < SAMPLE.from) return tokenWeight(text);
  const parts = Math.max(SAMPLE.parts, Math.ceil(length / SAMPLE.part));
  let state = seed ^ length;
  let sum = 0;
  for (let part = 0; part < parts; part += 1) {
    const from = Math.floor((part * length) / parts);
    const to = Math.floor(((part + 1) * length) / parts);
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    // Over the end of its part, or round the text, where it falls so: no place is looked at less often than another.
    const at = from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from));
    const before: Before = { last: 0, second: 0 };
    weighUnits(readUnits(text, Math.max(0, at - LEAD), at), before);
    let weight = weighUnits(readUnits(text, at, Math.min(length, at + SAMPLE.window)), before);
    if (at + SAMPLE.window > length)
      weight += weighUnits(readUnits(text, 0, at + SAMPLE.window - length), before);
    sum += (weight * (to - from)) / SAMPLE.window;
  }
  return sum / WHOLE;
}

/** What a request costs beside its text. */
const PER_REQUEST = 8;

/**
 * Estimated input tokens of a request body; inline media count as media, not as text.
 *
 * @param seed which places of long texts are looked at.
 */
export function estimateRequestTokens(
  protocol: ClientProtocol,
  body: Readonly<Record<string, unknown>>,
  seed: number = SEED,
): number {
  let weight = PER_REQUEST;
  for (const text of CODECS[protocol].requestText(body)) weight += sampledWeight(text, seed);
  return Math.ceil(weight) + mediaTokens(body);
}
