import type { Answer } from './answer.ts';

const MARK = 'simulated ';

/** What a vendor signs its reasoning with: opaque to everybody else, the same for the same answer. */
export const reasoningState = ({ id }: Answer): string => Buffer.from(`${MARK}${id}`).toString('base64');

/** Refuses a state that is not ours, as the real vendors do. @throws Error with `complaint`. */
export function checkReasoningState(state: unknown, complaint: string): void {
  const ours = typeof state === 'string' && Buffer.from(state, 'base64').toString('utf8').startsWith(MARK);
  if (!ours) throw new Error(complaint);
}
