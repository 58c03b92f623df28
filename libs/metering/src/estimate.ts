import { CODECS, type Protocol } from '@tollgate/protocols';

/** Tokens per character by class, fitted loosely to common tokenisers: they err by a fifth, not by a factor. */
const WEIGHT = { latin: 0.25, wide: 0.8, digit: 0.4, space: 0.05, symbol: 0.5 };

/**
 * The fraction of tokens that a text is worth. It is a sum over characters, so that a text cut into pieces is worth
 * what the whole is.
 */
export function tokenWeight(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) weight += weightOf(text.charCodeAt(at));
  return weight;
}

function weightOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return WEIGHT.latin;
  if (code <= 0x20) return WEIGHT.space;
  if (code >= 0x41 && code <= 0x5a) return WEIGHT.latin;
  if (code >= 0x30 && code <= 0x39) return WEIGHT.digit;
  if (code < 0xc0) return WEIGHT.symbol;
  return code < 0x2e80 ? WEIGHT.latin * 2 : WEIGHT.wide;
}

/** A text's estimated tokens, at least one for any text. */
export const estimateTokens = (text: string): number => Math.ceil(tokenWeight(text));

/** What a message or an inline picture costs beside its text. */
const PER_REQUEST = 8;

/** Estimated input tokens of a request body; inline data does not count as text. */
export function estimateRequestTokens(protocol: Protocol, body: Readonly<Record<string, unknown>>): number {
  let weight = PER_REQUEST;
  for (const text of CODECS[protocol].requestText(body)) weight += tokenWeight(text);
  return Math.ceil(weight);
}
