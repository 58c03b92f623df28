import { startCrowdedTimer } from '../jest/crowded-time.mjs';

const LIMIT_MS = 20;

/** How long a limit lasts where each look finds the machine so crowded. */
async function lastMs(crowd: number): Promise<number> {
  const beganAt = performance.now();
  await new Promise<void>((resolve) => {
    startCrowdedTimer(LIMIT_MS, resolve, () => crowd);
  });
  return performance.now() - beganAt;
}

test.each([1, 4, 8])('where %s share a processor, a limit lasts as many times as long', async (crowd) => {
  expect(await lastMs(crowd)).toBeGreaterThanOrEqual(crowd * LIMIT_MS - 1);
});

test('one that is stopped in time says nothing', async () => {
  const late = Promise.withResolvers<string>();
  startCrowdedTimer(LIMIT_MS, () => late.resolve('stopped one'))();
  startCrowdedTimer(2 * LIMIT_MS, () => late.resolve('other'));
  expect(await late.promise).toBe('other');
});
