import { availableParallelism, loadavg } from 'node:os';

/** A machine that says that it is more crowded than this does not count as such: what hangs is ended some day. */
const MAX = 8;

/** How many share a processor of this machine, at least one: whatever is done takes as many times as long. */
export const readCrowd = (): number =>
  Math.min(MAX, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
