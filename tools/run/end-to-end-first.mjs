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
  'faults/billings.spec.ts',
  'scale-out/',
  'reliability/',
  'faults/exactly-once.spec.ts',
  'faults/own-settings.spec.ts',
  'launcher.spec.ts',
  'day-two/',
  // Short ones at the very end: while the last one runs, half of the machine has nothing to do.
  'faults/',
];

/**
 * What waits for most of its time, with the shared stack and without a browser: one more of these runs beside two others
 * and takes less of the processors than a test of a single project does.
 */
const WAITING = [
  'cli/doctor.spec.ts',
  'conversion/',
  'faults/frames.spec.ts',
  'faults/upstreams.spec.ts',
  'guards/edges.spec.ts',
  'guards/keys.spec.ts',
  'guards/kept-state.spec.ts',
  'guards/wire.spec.ts',
  'hostile/',
  'interface/',
  'limits/limits.spec.ts',
  'pools/',
  'realtime/',
  'sdk/',
  'streams.spec.ts',
  'tasks/audio.spec.ts',
  'tasks/complete.spec.ts',
  'tasks/draw',
  'tasks/edit.spec.ts',
  'tasks/embed.spec.ts',
  'tasks/rerank.spec.ts',
  'vendor-bill/',
];

export const isEndToEnd = ({ context }) => context.config.displayName?.name === 'apps/e2e';
export const mostlyWaits = (test) => isEndToEnd(test) && findPlace(WAITING, test.path) >= 0;

const findPlace = (parts, path) => parts.findIndex((part) => path.includes(`/src/${part}`));

/** @returns the place among the end-to-end tests, which take the longest: one that came last would leave workers idle. */
function rank(path) {
  const first = findPlace(FIRST, path);
  if (first >= 0) return first;
  // Left to the worker that takes them first.
  if (findPlace(WAITING, path) >= 0) return FIRST.length + LAST.length + 1;
  const last = findPlace(LAST, path);
  return FIRST.length + (last < 0 ? 0 : 1 + last);
}

export default class EndToEndFirst extends Sequencer {
  sort(tests) {
    const place = (test) => (isEndToEnd(test) ? rank(test.path) : Number.MAX_SAFE_INTEGER);
    // The sort is stable: among equals the order stays that of what each took, or of its size.
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
