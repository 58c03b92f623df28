import { backoffMs } from '../health/backoff.ts';
import type { Candidate } from '../route/candidates.ts';
import type { AttemptFailure } from './failures.ts';
import { findFailurePolicy } from './status-policy.ts';

/** Who is still to be tried for one request. */
interface Queue {
  next(): Candidate | undefined;
  /** One that is ready, of another upstream if there is one, out of its turn. */
  takeReady(beside: Candidate): Candidate | undefined;
  /** Other upstreams come first now; one that closed a connection under the request is asked once more. */
  failed(candidate: Candidate, failure: AttemptFailure): void;
  /** None of them has a credential that its upstream takes. */
  allDisabled(): boolean;
}

/**
 * @param inOrder orders candidates: those that are ready, or all when none is.
 * @param heldBack those that are not ready are tried too, after the others.
 */
export function createQueue(
  candidates: readonly Candidate[],
  inOrder: (some: readonly Candidate[]) => Candidate[],
  heldBack: boolean,
): Queue {
  let waiting = inOrder(candidates);
  if (heldBack && waiting.length < candidates.length) {
    const taken = new Set(waiting);
    waiting.push(...inOrder(candidates.filter((each) => !taken.has(each))));
  }
  const askedAgain: Candidate[] = [];
  return {
    next: () => waiting.shift(),
    takeReady(beside) {
      const now = performance.now();
      const ready = waiting.filter(({ target }) => target.availability(now) === 'ready');
      const other = ready.find(({ client }) => client.upstream.name !== beside.client.upstream.name);
      const taken = other ?? ready.find(({ target }) => target !== beside.target);
      if (taken) waiting = waiting.filter((each) => each !== taken);
      return taken;
    },
    failed(candidate, failure) {
      const { retriesSame, nextFirst } = findFailurePolicy(failure);
      if (retriesSame && !askedAgain.includes(candidate)) {
        askedAgain.push(candidate);
        waiting.push(candidate);
      }
      if (nextFirst === 'other-upstream') {
        const isSame = ({ client }: Candidate) => client.upstream.name === candidate.client.upstream.name;
        waiting = [...waiting.filter((each) => !isSame(each)), ...waiting.filter(isSame)];
      }
    },
    allDisabled: () =>
      candidates.every(({ target }) => target.availability(performance.now()) === 'disabled'),
  };
}

/** A request waits no longer than this for an upstream that asked to be left alone. */
const MAX_WAIT_MS = 1_000;

/**
 * Milliseconds to wait before a candidate is tried: none for one that is ready, a moment for one that is held back
 * for its failures, and exactly as long as it was told for one that cools down.
 */
export function computeWait({ target }: Candidate, tries: number): number | 'too long' {
  const now = performance.now();
  switch (target.availability(now)) {
    case 'ready':
      return 0;
    case 'cooling_down': {
      const waitMs = target.coolsDownMs(now);
      return waitMs > MAX_WAIT_MS ? 'too long' : waitMs;
    }
    default:
      return backoffMs(tries + 1);
  }
}
