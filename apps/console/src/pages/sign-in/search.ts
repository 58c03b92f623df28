import { nextPath } from '../../app/next-path.ts';

/** Why a provider's people were not let in. */
const PROBLEMS = [
  'unverified',
  'domain',
  'unknown',
  'disabled',
  'other-person',
  'late',
  'busy',
  'failed',
] as const;

export interface SignInSearch {
  /** A path of this console to go on to. */
  readonly next?: string;
  readonly problem?: (typeof PROBLEMS)[number];
  /** Somebody comes back from a provider, signed in. */
  readonly arrived?: true;
  /** The second factor is wanted of somebody. */
  readonly step?: true;
}

/** Takes what it understands of an address and leaves the rest. */
export function readSignInSearch(search: Readonly<Record<string, unknown>>): SignInSearch {
  const next = nextPath(search['next']);
  const problem = PROBLEMS.find((name) => name === search['problem']);
  return {
    ...(next === undefined ? {} : { next }),
    ...(problem === undefined ? {} : { problem }),
    ...(search['arrived'] === 1 ? { arrived: true } : {}),
    ...(search['step'] === 1 || search['step'] === true ? { step: true } : {}),
  };
}
