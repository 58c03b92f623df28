import { parseUsd } from '@tollgate/money';

/**
 * Whether an account that may spend `left` has run out, or has less than it spent in the last three days: the same rule by
 * which operators are told of it.
 *
 * @param spent in those days; undefined while it is not known.
 */
export function findShortage(left: string, spent: string | undefined): 'out' | 'low' | null {
  const pico = parseUsd(left);
  if (pico <= 0n) return 'out';
  return spent !== undefined && pico < parseUsd(spent) ? 'low' : null;
}
