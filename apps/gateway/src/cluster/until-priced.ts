import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
/** Without prices it serves all the same after that: it can say at `/readyz` what it waits for. */
const WAIT_MAX_MS = 5_000;

/** Resolves when there are prices to serve with, or after five seconds. */
export async function untilPriced(table: () => object | undefined): Promise<void> {
  for (const end = performance.now() + WAIT_MAX_MS; !table() && performance.now() < end;)
    await sleep(LOOK_EVERY_MS);
}
