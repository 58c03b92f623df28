import { createHash } from 'node:crypto';
import type { Alphabet, Dialect } from './dialect.ts';

const OUTSIDE: Readonly<Record<Alphabet, RegExp | undefined>> = {
  any: undefined,
  word: /[^A-Za-z0-9_-]/,
  alphanumeric: /[^A-Za-z0-9]/,
};

/** Whether every character of a text belongs to an alphabet. */
export const isWritableIn = (text: string, alphabet: Alphabet): boolean =>
  OUTSIDE[alphabet]?.test(text) !== true;

/**
 * The id of an end user as a model takes it: as it is, or its SHA-256 in hexadecimal, which has 64 characters and which
 * every vendor takes. The same user always has the same id.
 */
export function fitUser(
  user: string,
  { user_min, user_max, user_alphabet }: Pick<Dialect, 'user_min' | 'user_max' | 'user_alphabet'>,
): string {
  const { length } = user;
  const fits = length >= user_min && (user_max === null || length <= user_max);
  return fits && isWritableIn(user, user_alphabet) ? user : createHash('sha256').update(user).digest('hex');
}
