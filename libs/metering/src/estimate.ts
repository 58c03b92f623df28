import { CODECS, type Protocol } from '@tollgate/protocols';
import { mediaTokens } from './bound.ts';

/** Hundredths of a token per character by class, fitted loosely to common tokenisers: they err by a fifth, not by a factor. */
const WEIGHT = { latin: 25, wide: 80, digit: 40, space: 5, symbol: 50 };
const WHOLE = 100;

/**
 * The fraction of tokens that a text is worth. It is a sum over characters, so that a text cut into pieces is worth
 * what the whole is.
 */
export function tokenWeight(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) weight += WEIGHTS[text.charCodeAt(at)] ?? 0;
  return weight / WHOLE;
}

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

/** Of every UTF-16 code unit: prompts are long, and all of their characters are looked up. */
const WEIGHTS = Uint8Array.from({ length: 65_536 }, (_, code) => weightOf(code));

/** A text's estimated tokens, at least one for any text. */
export const estimateTokens = (text: string): number => Math.ceil(tokenWeight(text));

/** What a request costs beside its text. */
const PER_REQUEST = 8;

/** Estimated input tokens of a request body; inline media count as media, not as text. */
export function estimateRequestTokens(protocol: Protocol, body: Readonly<Record<string, unknown>>): number {
  let weight = PER_REQUEST;
  for (const text of CODECS[protocol].requestText(body)) weight += tokenWeight(text);
  return Math.ceil(weight) + mediaTokens(body);
}
