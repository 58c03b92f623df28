import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { httpError } from '@tollgate/platform';

/** What is easy to guess is easy to guess by its beginning; the work grows with the square of the length. */
const MAX_LENGTH = 40;

/** Of ten: what a guesser who knows the lists, the keyboard and the person finds within that many tries is common. */
const MIN_GUESSES_LOG10 = 9;

let loading: Promise<ZxcvbnFactory> | undefined;

/** Its lists are unpacked as they are loaded, which takes some 0.05 s of a processor at a start that needs none of them. */
async function loadGuesser(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MAX_LENGTH });
}

/** A person's own words, such as the parts of an e-mail address: they are the first that a guesser tries. */
const wordsOf = (text: string): string[] => [text, ...text.split(/[^\p{L}\p{N}]+/u)];

/**
 * Whether a guesser soon finds a password: it is on a list of leaked ones, a walk over the keyboard, a sequence, a
 * repetition, or made of the product's name or of what is known of the person.
 */
export async function isCommonPassword(password: string, about: readonly string[] = []): Promise<boolean> {
  const guesser = await (loading ??= loadGuesser());
  const words = ['tollgate', ...about.flatMap(wordsOf)].filter((word) => word.length > 2);
  return guesser.check(password.slice(0, MAX_LENGTH), words).guessesLog10 < MIN_GUESSES_LOG10;
}

/**
 * @param about the person's e-mail address, name and the like.
 * @throws HttpException 400 for a password that is soon guessed.
 */
export async function requireUncommonPassword(password: string, about: readonly string[]): Promise<void> {
  if (!(await isCommonPassword(password, about))) return;
  throw httpError(
    400,
    'password: this one is easily guessed. Take several words that do not belong together.',
    'password',
    'easy_password',
  );
}
