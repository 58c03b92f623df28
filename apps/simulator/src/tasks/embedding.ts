import { createHash } from 'node:crypto';
import { countWords } from '../answer.ts';
import type { Billed } from '../bill/billed.ts';
import { withoutScript, type Script } from '../script.ts';
import type { TaskQuestion } from './task-door.ts';

const DIMENSIONS = 8;

/** 32-bit floats that depend on the input alone, of length one as vendors' are. */
export function makeVector(input: TaskQuestion['inputs'][number], dimensions = DIMENSIONS): number[] {
  const said = typeof input === 'string' ? withoutScript(input) : JSON.stringify(input);
  const numbers = Array.from({ length: dimensions }, (_, index) => {
    const bytes = createHash('sha256').update(`${index} ${said}`).digest();
    return bytes.readInt32LE() / 2 ** 31;
  });
  const length = Math.hypot(...numbers);
  return numbers.map((each) => Math.fround(each / length));
}

/** 32-bit floats, the lowest byte first. */
export const toBase64 = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');

/** What a vendor counts: words for tokens, and tokens as they are. */
export const countTokens = (inputs: TaskQuestion['inputs'], { usage }: Script): number =>
  usage?.input ??
  inputs.reduce(
    (sum, each) =>
      sum + (typeof each === 'string' ? Math.max(1, countWords(withoutScript(each))) : each.length),
    0,
  );

export const billInput = (model: string, input: number): Billed[] => [
  { model, tier: 'standard', region: undefined, tokens: { input }, tools: {} },
];
