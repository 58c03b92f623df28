import { endOfTurn } from '@tollgate/platform';
import { createSequence } from './sequence.ts';

const MIB = 1024 * 1024;

/** Pushes messages of so many bytes until their sender is paused; none of them is worked on before `begin`. */
function fill(bytes: number) {
  const begin = Promise.withResolvers<void>();
  let isPaused = false;
  const socket = { pause: () => void (isPaused = true), resume: () => void (isPaused = false) };
  const worked: number[] = [];
  const sequence = createSequence(socket, begin.promise, (error) => {
    throw error;
  });
  let pushed = 0;
  while (!isPaused && pushed < 1_000) {
    pushed += 1;
    const number = pushed;
    sequence.push(() => void worked.push(number), bytes);
  }
  return { pushed, worked, begin, isPaused: () => isPaused };
}

test.each([
  ['as many small ones', 100, 64],
  ['as much of large ones', MIB / 4, 4],
  ['one that is larger', 32 * MIB, 1],
  ['what has no size', 0, 64],
])('of a side that is not kept up with %s as may wait are read', async (_what, bytes, expected) => {
  const { pushed, worked, begin, isPaused } = fill(bytes);
  expect(pushed).toBe(expected);
  begin.resolve();
  while (isPaused()) await endOfTurn();
  expect(worked).toEqual(Array.from({ length: pushed }, (_, index) => index + 1));
});
