import { waitFor } from './wait-for.ts';

test.each<[answer: unknown]>([[0], [''], ['text'], [true]])('%p is an answer', async (answer) => {
  expect(await waitFor(() => answer, 'the answer')).toBe(answer);
});

test.each([undefined, null, false])('asks again after %p', async (nothing) => {
  let asked = 0;
  expect(await waitFor(async () => (++asked < 4 ? nothing : asked), 'the fourth', 5_000, 1)).toBe(4);
  expect(asked).toBe(4);
});

test('says what did not come', async () => {
  await expect(waitFor(() => false, 'the bus', 30, 5)).rejects.toThrow('the bus did not come within 30 ms');
});

test('waits longer where many share a processor', async () => {
  const beganAt = performance.now();
  const never = waitFor(
    () => false,
    'the bus',
    30,
    5,
    () => 8,
  );
  await expect(never).rejects.toThrow('the bus did not come within 30 ms');
  expect(performance.now() - beganAt).toBeGreaterThan(8 * 30);
});

test('a check that fails ends the waiting with its reason', async () => {
  let asked = 0;
  const check = () => {
    asked++;
    throw new Error('it never will');
  };
  await expect(waitFor(check, 'the bus')).rejects.toThrow('it never will');
  expect(asked).toBe(1);
});

test('a clock that is set meanwhile makes no wait shorter or longer', async () => {
  const { now } = Date;
  let asked = 0;
  const check = () => {
    asked += 1;
    Date.now = () => now() + (asked % 2 === 0 ? -3_600_000 : 3_600_000);
    return asked > 4;
  };
  try {
    expect(await waitFor(check, 'the fifth', 20_000, 1)).toBe(true);
    await expect(waitFor(() => false, 'the bus', 30, 5)).rejects.toThrow('the bus did not come within 30 ms');
  } finally {
    Date.now = now;
  }
});

test('time in which the process stood still is not waited', async () => {
  let hasStoodStill = false;
  setTimeout(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    setTimeout(() => (hasStoodStill = true), 100);
  }, 10);
  expect(await waitFor(() => hasStoodStill, 'what comes behind it', 500, 20)).toBe(true);
});
