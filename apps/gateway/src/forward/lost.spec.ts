import { freePort, waitFor } from '@tollgate/harness';
import {
  type Forwarding,
  inTurn,
  type Simulated,
  upstream,
  withTwoUpstreams,
} from '../../testing/forwarding.ts';
import type { LostAttempt } from './lost.ts';

let one: Simulated;
let two: Simulated;
const { start, send, both } = withTwoUpstreams((first, second) => {
  [one, two] = [first, second];
});
let lostAttempts: LostAttempt[];
beforeEach(() => (lostAttempts = []));
const lost = (attempt: LostAttempt) => void lostAttempts.push(attempt);
const shown = () =>
  lostAttempts.map(({ candidate, model, cause }) => [candidate.client.upstream.name, model, cause]);

test.each([
  ['takes too long', { hang: true }, 'timeout', 300],
  ['closes the connection', { cut_before_headers: true }, 'reset', 60_000],
  ['answers what cannot be read', { content_type: 'text/html', stream: true }, 'garbage', 60_000],
  ['says that one behind it did not answer', { status: 504 }, 'status', 60_000],
] as const)(
  'an upstream that %s may bill it: the attempt is lost',
  async (_what, script, cause, patienceMs) => {
    await one.script(script);
    const impatient = upstream('one', one.url, ['a'], { first_byte_timeout_ms: patienceMs });
    start({ upstreams: [impatient, upstream('two', two.url, ['b'])], pool: inTurn, lost });
    const sentAt = performance.now();
    expect(await send()).toBe('two as m');
    expect(shown()).toEqual([['one', 'm', cause]]);
    const tookMs = performance.now() - sentAt;
    for (const { ranMs } of lostAttempts) expect(ranMs).toBeLessThanOrEqual(tookMs);
  },
);

test.each([
  ['refuses it', { status: 429 }],
  ['fails', { status: 500 }],
  ['is overloaded', { status: 529 }],
])('an upstream that %s bills nothing', async (_what, script) => {
  await one.script(script);
  start({ upstreams: both(), pool: inTurn, lost });
  expect(await send()).toBe('two as m');
  expect(lostAttempts).toEqual([]);
});

test('nor does one that cannot be reached', async () => {
  const nowhere = upstream('nowhere', `http://127.0.0.1:${await freePort()}`, ['a']);
  const members = [{ upstream: 'nowhere' }, { upstream: 'two', priority: 1 }];
  start({ upstreams: [nowhere, upstream('two', two.url, ['b'])], pool: { members }, lost });
  expect(await send()).toBe('two as m');
  expect(lostAttempts).toEqual([]);
});

test('a request that nobody answers has lost all of its attempts', async () => {
  await one.script({ cut_before_headers: true });
  await two.script({ status: 504 });
  start({ upstreams: both(), pool: { ...inTurn, attempts: 2, retry_percent: 100 }, lost });
  await send();
  expect(shown()).toEqual([
    ['one', 'm', 'reset'],
    ['two', 'm', 'status'],
  ]);
});

test('an answer that nobody wants any longer is no lost attempt: whoever asked for it pays', async () => {
  await one.script({ hang: true });
  start({ upstreams: both(), pool: inTurn, lost });
  const unwanted = new AbortController();
  const pending = send({ gone: unwanted.signal, signal: unwanted.signal });
  await waitFor(async () => (await one.count()) === 1, 'the request upstream');
  unwanted.abort();
  expect(await pending).toBe('aborted');
  expect(lostAttempts).toEqual([]);
});

describe('hedging', () => {
  async function measured(): Promise<Forwarding> {
    const forwarding = start({
      upstreams: both(),
      pool: { ...inTurn, hedge: true, retry_percent: 100 },
      lost,
    });
    for (let index = 0; index < 50; index += 1) await send();
    return forwarding;
  }

  test('the one of two that comes second is lost', async () => {
    await measured();
    await one.script({ first_delay_ms: 60_000 });
    expect(await send()).toBe('two as m');
    await waitFor(() => lostAttempts.length > 0, 'the loss');
    expect(shown()).toEqual([['one', 'm', 'hedge']]);
  });

  test('of two that nobody wants any longer one is paid for by who asked, and the other is lost', async () => {
    await measured();
    await Promise.all([one, two].map((each) => each.script({ hang: true })));
    const unwanted = new AbortController();
    const pending = send({ gone: unwanted.signal, signal: unwanted.signal });
    await waitFor(async () => (await two.count()) === 1, 'the second request');
    unwanted.abort();
    expect(await pending).toBe('aborted');
    await waitFor(() => lostAttempts.length > 0, 'the loss');
    expect(shown()).toEqual([['two', 'm', 'hedge']]);
  });
});
