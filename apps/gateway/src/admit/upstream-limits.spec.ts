import { createLocalLimiter } from '@tollgate/limits';
import { admitUpstream } from './upstream-limits.ts';

const clock = () => 1_000_000;
const upstream = (limits: object) => ({ name: 'u', limits });
const credential = (name: string, limits: object) => ({ name, limits });

test('an upstream without limits is asked nothing about', async () => {
  const limiter = createLocalLimiter(clock);
  const unasked = { ...limiter, admit: () => Promise.reject(new Error('asked')) };
  const answer = await admitUpstream(unasked, upstream({}), credential('c', {}), { tokens: 5 });
  expect(answer.ok).toBe(true);
});

test('requests a minute of a credential: the other credential still serves', async () => {
  const limiter = createLocalLimiter(clock);
  const tryBy = (name: string) =>
    admitUpstream(limiter, upstream({}), credential(name, { requests_per_minute: 1 }), { tokens: 0 });
  expect((await tryBy('a')).ok).toBe(true);
  expect(await tryBy('a')).toEqual({ ok: false, retryAfterMs: 60_000 });
  expect((await tryBy('b')).ok).toBe(true);
});

test('a refusal by the credential takes nothing of the upstream', async () => {
  const limiter = createLocalLimiter(clock);
  const limits = { requests_per_minute: 3 };
  const narrow = credential('a', { requests_per_minute: 1 });
  for (let n = 0; n < 5; n += 1) await admitUpstream(limiter, upstream(limits), narrow, { tokens: 0 });
  const rest = [];
  for (let n = 0; n < 3; n += 1)
    rest.push((await admitUpstream(limiter, upstream(limits), null, { tokens: 0 })).ok);
  expect(rest).toEqual([true, true, false]);
});

test('requests at once: a try that has ended makes room, whatever it says how often', async () => {
  const limiter = createLocalLimiter(clock);
  const tryOne = () => admitUpstream(limiter, upstream({ concurrent_requests: 2 }), null, { tokens: 0 });
  const tries = [await tryOne(), await tryOne()];
  expect((await tryOne()).ok).toBe(false);
  for (let n = 0; n < 3; n += 1) if (tries[0]?.ok) tries[0].settle(null);
  expect([(await tryOne()).ok, (await tryOne()).ok]).toEqual([true, false]);
});

test('tokens a minute: the estimate is corrected to what was used, and given back by a try that failed', async () => {
  const limiter = createLocalLimiter(clock);
  const tryOne = (tokens: number) =>
    admitUpstream(limiter, upstream({ tokens_per_minute: 1_000 }), null, { tokens });
  const failed = await tryOne(900);
  expect((await tryOne(200)).ok).toBe(false);
  if (failed.ok) failed.settle(null);
  const answered = await tryOne(200);
  if (answered.ok) answered.settle({ input: 50, output: 900 });
  expect((await tryOne(51)).ok).toBe(false);
  expect((await tryOne(50)).ok).toBe(true);
});

test.each([
  ['what is counted is taken', { images: 3 }, 1],
  ['what an answer does not count was used as it was estimated', { output: 900 }, 3],
  ['a try that failed gives all back', null, 4],
])('units a minute: %s', async (_what, used, left) => {
  const limiter = createLocalLimiter(clock);
  const tryOne = (images: number) =>
    admitUpstream(limiter, upstream({ units_per_minute: { images: 4 } }), null, {
      tokens: 10,
      units: { images },
    });
  const answered = await tryOne(1);
  if (answered.ok) answered.settle(used);
  expect([(await tryOne(left)).ok, (await tryOne(1)).ok]).toEqual([true, false]);
});
