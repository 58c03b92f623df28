import { andThen } from './and-then.ts';

test('what is there is gone on with at once', () => {
  expect(andThen(20, (value) => value + 1)).toBe(21);
});

test('what comes later is waited for, and its failure is passed on', async () => {
  await expect(andThen(Promise.resolve(20), (value) => value + 1)).resolves.toBe(21);
  await expect(andThen(Promise.reject<number>(new Error('away')), (value) => value)).rejects.toThrow('away');
});

test('what is gone on with may come later', async () => {
  const later = andThen(20, (value) => Promise.resolve(value + 1));
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(21);
});
