import Sequencer from '@jest/test-sequencer';

/** Those from end to end take the longest: one that came last would leave the other workers with nothing to do. */
export default class EndToEndFirst extends Sequencer {
  sort(tests) {
    const isFirst = ({ context }) => context.config.displayName?.name === 'apps/e2e';
    const sorted = super.sort(tests);
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
  }
}
