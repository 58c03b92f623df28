import { createHops, HOPS_HEADER } from './hops.ts';

const deployment = (name: string, maxHops = 1) => createHops(Buffer.alloc(32, name), maxHops);
const after = (marks: string | undefined) => (marks === undefined ? {} : { [HOPS_HEADER]: marks });

/** Sends a request through deployments, one behind the other; the place of the one that refuses it. */
function through(...chain: ReturnType<typeof deployment>[]): { refusedAt: number; message: string } {
  let marks: string | undefined;
  for (const [place, hops] of chain.entries()) {
    const refusal = hops.refusal(after(marks));
    if (refusal) return { refusedAt: place, message: refusal.message };
    marks = hops.next(after(marks));
  }
  return { refusedAt: -1, message: '' };
}

test.each([
  ['one', 'a', -1, ''],
  ['two that stand one behind the other', 'ab', -1, ''],
  ['three', 'abc', 2, 'come through 2 services of this kind, and 1 may stand'],
  ['one that leads to itself', 'aa', 1, 'come through this service before'],
  ['two that lead to each other', 'aba', 2, 'come through this service before'],
])('a request through %s', (_, chain, refusedAt, words) => {
  const result = through(...[...chain].map((name) => deployment(name)));
  expect(result.refusedAt).toBe(refusedAt);
  expect(result.message).toContain(words);
});

test('gateways of one deployment know each other, and how many others may stand before is a setting', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => deployment(name, 2));
  if (!a || !b || !c) throw new Error('three deployments');
  expect(through(a, b, c).refusedAt).toBe(-1);
  expect(through(a, b, deployment('a', 9)).refusedAt).toBe(2);
  expect(through(deployment('a', 0)).refusedAt).toBe(-1);
  expect(deployment('a', 0).refusal(after('x'))?.kind).toBe('invalid_request');
});

test.each(['', ' ', ',', 'x, , y', 'x'.repeat(10_000)])(
  'a mark of %j that nobody made does no harm',
  (marks) => {
    expect(deployment('a', 2).refusal(after(marks))).toBeUndefined();
  },
);
