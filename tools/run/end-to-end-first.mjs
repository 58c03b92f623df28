import Sequencer from '@jest/test-sequencer';

/** Which take long though they are small: a first run on a machine knows no file but by its size. */
const LONG = [
  'faults/chaos.spec.ts',
  'hostile/hostile.spec.ts',
  'telemetry/telemetry.spec.ts',
  'clients/clients.spec.ts',
  'day-two/home-backup.spec.ts',
  'day-two/key-rotation.spec.ts',
];

/** Those from end to end take the longest: one that came last would leave the other workers with nothing to do. */
export default class EndToEndFirst extends Sequencer {
  sort(tests) {
    const rank = ({ context, path }) => {
      if (context.config.displayName?.name !== 'apps/e2e') return 2;
      return LONG.some((file) => path.endsWith(file)) ? 0 : 1;
    };
    // The sort is stable: among equals the order stays that of what each took, or of its size.
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
