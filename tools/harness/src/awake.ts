import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 50;
/** A step that takes longer says that this process, or the machine, stood still, or had much else to do. */
const COUNTED_MAX_MS = 2 * STEP_MS;

/** How much of a step counts, whichever ends it. */
async function step(ms: number, end?: Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  const pause = sleep(ms, undefined, { ref: false });
  await (end ? Promise.race([end, pause]) : pause);
  return Math.min(COUNTED_MAX_MS, performance.now() - beganAt);
}

/** Waits until this process has run for so long: what it has waited for as long as that is due before. */
export async function sleepAwake(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0;) leftMs -= await step(Math.min(STEP_MS, leftMs));
}

/** How long this process runs until the work is done, which may stand still with it. */
export async function measureAwake(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  let awakeMs = 0;
  while (!isDone) awakeMs += await step(STEP_MS, done);
  return awakeMs;
}
