import Sequencer from '@jest/test-sequencer';

/**
 * What runs first, in this order. The shared stack keeps what every test has made: a console of a hundred models and keys
 * costs twice the processor time that one of ten does, and shows the same.
 */
const FIRST = ['console/every-page.spec.ts', 'console/'];
/** Which take long though they are small: a first run on a machine knows no file but by its size. */
const LONG = [
  'faults/chaos.spec.ts',
  'hostile/hostile.spec.ts',
  'telemetry/telemetry.spec.ts',
  'clients/clients.spec.ts',
  'day-two/home-backup.spec.ts',
  'day-two/key-rotation.spec.ts',
];
const ORDER = [...FIRST, ...LONG];

/** Those from end to end take the longest: one that came last would leave the other workers with nothing to do. */
export default class EndToEndFirst extends Sequencer {
  sort(tests) {
    const rank = ({ context, path }) => {
      if (context.config.displayName?.name !== 'apps/e2e') return ORDER.length + 1;
      const place = ORDER.findIndex((part) => path.includes(`/src/${part}`));
      return place < 0 ? ORDER.length : place;
    };
    // The sort is stable: among equals the order stays that of what each took, or of its size.
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
