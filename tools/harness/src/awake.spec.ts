import { setTimeout as sleep } from 'node:timers/promises';
import { measureAwake, sleepAwake } from './awake.ts';

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('time in which the process stands still is no part of how long something took', async () => {
  const work = async () => {
    await sleep(150);
    standStill(1_500);
    await sleep(150);
  };
  const beganAt = performance.now();
  const awakeMs = await measureAwake(work());
  const tookMs = performance.now() - beganAt;
  expect(awakeMs).toBeGreaterThan(250);
  // The standstill counts as one long step.
  expect(tookMs - awakeMs).toBeGreaterThan(1_390);
});

test('nor of a wait: what was due before it comes before it', async () => {
  const order: string[] = [];
  const waits = sleepAwake(300).then(() => order.push('awake'));
  const due = sleep(400).then(() => order.push('due'));
  standStill(1_000);
  const later = sleep(30).then(() => order.push('later'));
  await Promise.all([waits, due, later]);
  expect(order).toEqual(['due', 'later', 'awake']);
});

test('work that fails fails whoever measures it', async () => {
  await expect(measureAwake(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
