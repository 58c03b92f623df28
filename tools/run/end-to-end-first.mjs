import Sequencer from '@jest/test-sequencer';

/**
 * What runs first, in this order. The shared stack keeps what every test has made: a console of a hundred models and keys
 * costs twice the processor time that one of ten does, and shows the same.
 */
const FIRST = ['console/every-page.spec.ts', 'console/'];
/**
 * What runs last, in this order: these start stacks of their own and keep both processors busy when no other tests are left
 * to run beside them, while what comes before them mostly waits.
 */
const LAST = [
  'faults/failures.spec.ts',
  'faults/chaos.spec.ts',
  'scale-out/',
  'reliability/',
  'faults/upstreams.spec.ts',
  'faults/exactly-once.spec.ts',
  'faults/own-settings.spec.ts',
  'launcher.spec.ts',
  'day-two/',
  // Short ones at the very end: while the last one runs, half of the machine has nothing to do.
  'faults/',
];

const findPlace = (parts, path) => parts.findIndex((part) => path.includes(`/src/${part}`));

/** @returns the place among the end-to-end tests, which take the longest: one that came last would leave workers idle. */
function rank(path) {
  const first = findPlace(FIRST, path);
  if (first >= 0) return first;
  const last = findPlace(LAST, path);
  return FIRST.length + (last < 0 ? 0 : 1 + last);
}

export default class EndToEndFirst extends Sequencer {
  sort(tests) {
    const place = ({ context, path }) =>
      context.config.displayName?.name === 'apps/e2e' ? rank(path) : Number.MAX_SAFE_INTEGER;
    // The sort is stable: among equals the order stays that of what each took, or of its size.
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
