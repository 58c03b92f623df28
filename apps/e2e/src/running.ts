import type { RunningStack } from '@tollgate/harness';

interface Running {
  readonly home: string;
  readonly stack: RunningStack;
}

const KEY = Symbol.for('tollgate.e2e');
const shared = globalThis as { [KEY]?: Running };

/** Hands the stack from Jest's global set-up to its tear-down, which are loaded as separate modules. */
export const running = {
  set: (stack: Running) => void (shared[KEY] = stack),
  get: (): Running | undefined => shared[KEY],
};
