import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamAuthError } from './auth-scheme.ts';
import { createTokenSource, type Lease } from './token-source.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A source whose clock and whose answers the test states. */
function begin(lastsMs = HOUR_MS) {
  const clock = { at: 0 };
  const calls: PromiseWithResolvers<Lease<string>>[] = [];
  const failures: string[] = [];
  const source = createTokenSource(
    () => {
      calls.push(Promise.withResolvers());
      return calls.at(-1)?.promise ?? Promise.reject(new Error('never'));
    },
    ({ message }) => failures.push(message),
    { timeoutMs: 50, now: () => clock.at },
  );
  const answer = async (value: string) => {
    calls.at(-1)?.resolve({ value, lastsMs });
    await sleep(0);
  };
  const fail = async (error: unknown) => {
    calls.at(-1)?.reject(error);
    await sleep(0);
  };
  return { clock, calls, failures, source, answer, fail };
}

async function holding(value = 'first', lastsMs = HOUR_MS) {
  const begun = begin(lastsMs);
  const got = begun.source.get();
  await begun.answer(value);
  expect(await got).toBe(value);
  return begun;
}

test('what is prepared first takes none of the time that a token has', async () => {
  const failures: string[] = [];
  const source = createTokenSource(
    () => Promise.resolve({ value: 'token', lastsMs: HOUR_MS }),
    ({ message }) => failures.push(message),
    { timeoutMs: 5, prepare: () => sleep(100) },
  );
  expect(await source.get()).toBe('token');
  const broken = createTokenSource(
    () => Promise.resolve({ value: 'token', lastsMs: HOUR_MS }),
    ({ message }) => failures.push(message),
    { prepare: () => Promise.reject(new Error('no such module')) },
  );
  await expect(broken.get()).rejects.toThrow('No token could be had: Error.');
  expect(failures).toEqual(['No token could be had: Error.']);
});

test('all who ask at once wait for one call', async () => {
  const { source, calls, answer } = begin();
  const got = [source.get(), source.get(), source.get()];
  await answer('token');
  expect(await Promise.all(got)).toEqual(['token', 'token', 'token']);
  expect(calls).toHaveLength(1);
});

test('a token that holds is there at once', async () => {
  const { source, calls, clock } = await holding();
  clock.at = 54 * MINUTE_MS;
  expect(source.get()).toBe('first');
  expect(calls).toHaveLength(1);
});

test('five minutes before it ends one call asks for the next, and the old one is served meanwhile', async () => {
  const { source, calls, clock, answer } = await holding();
  clock.at = 55 * MINUTE_MS;
  expect([source.get(), source.get()]).toEqual(['first', 'first']);
  expect(calls).toHaveLength(2);
  await answer('second');
  expect(source.get()).toBe('second');
});

test('one that lasts less than ten minutes is replaced at its half', async () => {
  const { source, calls, clock } = await holding('first', 4 * MINUTE_MS);
  clock.at = 2 * MINUTE_MS - 1;
  expect(source.get()).toBe('first');
  expect(calls).toHaveLength(1);
  clock.at = 2 * MINUTE_MS;
  expect(source.get()).toBe('first');
  expect(calls).toHaveLength(2);
});

test('after a refresh that fails the old one is served to its end, and others are asked for now and then', async () => {
  const { source, calls, clock, fail, failures } = await holding();
  clock.at = 58 * MINUTE_MS;
  expect(source.get()).toBe('first');
  await fail(new Error('the secret sk-very-secret was wrong'));
  expect(source.get()).toBe('first');
  expect(calls).toHaveLength(2);
  clock.at += 10_000;
  expect(source.get()).toBe('first');
  expect(calls).toHaveLength(3);
  await fail(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
  // What libraries say may quote what was sent.
  expect(failures).toEqual(['No token could be had: Error.', 'No token could be had: ECONNREFUSED.']);
  clock.at = 60 * MINUTE_MS;
  const late = expect(source.get()).rejects.toMatchObject({ message: 'It is refused.', isRefused: true });
  await fail(new UpstreamAuthError('It is refused.', true));
  await late;
});

test('whoever gives tokens out and hangs is not waited for', async () => {
  const { source, failures, calls } = begin();
  await expect(source.get()).rejects.toMatchObject({ isRefused: false });
  expect(failures).toEqual(['No token came within 0.05 seconds.']);
  void Promise.resolve(source.get()).catch(() => {});
  expect(calls).toHaveLength(2);
});

test('a refused token is replaced once, however many were refused it', async () => {
  const { source, calls, answer, clock } = await holding();
  const renewed = [source.renew('first'), source.renew('first')];
  await answer('second');
  expect(await Promise.all(renewed)).toEqual([true, true]);
  expect(calls).toHaveLength(2);
  // It was sent before the other came.
  expect(await source.renew('first')).toBe(true);
  expect(calls).toHaveLength(2);
  // A door that refuses everything is not a reason to ask without end.
  expect(await source.renew('second')).toBe(false);
  clock.at += 10_000;
  const again = source.renew('second');
  expect(calls).toHaveLength(3);
  await answer('third');
  expect(await again).toBe(true);
});

test('a refused token that cannot be replaced stays, and the request fails', async () => {
  const { source, fail } = await holding();
  const renewed = source.renew('first');
  await fail(new Error('away'));
  expect(await renewed).toBe(false);
  expect(source.get()).toBe('first');
});
