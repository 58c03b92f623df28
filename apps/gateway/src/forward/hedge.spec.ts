import { waitFor } from '@tollgate/harness';
import {
  type Forwarding,
  inTurn,
  type Simulated,
  upstream,
  withTwoUpstreams,
} from '../../testing/forwarding.ts';

let one: Simulated;
let two: Simulated;
const { start, running, send, both } = withTwoUpstreams((first, second) => {
  [one, two] = [first, second];
});

describe('the limits of an upstream', () => {
  const settled: [string, object | null][] = [];
  const admit = async ({ client }: { client: { upstream: { name: string } } }) => {
    const { name } = client.upstream;
    return Promise.resolve(
      name === 'full'
        ? ({ ok: false, retryAfterMs: 4_000 } as const)
        : ({ ok: true, settle: (used: object | null) => void settled.push([name, used]) } as const),
    );
  };
  beforeEach(() => settled.splice(0));

  test('one that has reached them is passed over', async () => {
    start({
      upstreams: [upstream('full', one.url, ['a']), upstream('two', two.url, ['b'])],
      pool: { members: [{ upstream: 'full' }, { upstream: 'two', priority: 1 }] },
      admit,
    });
    expect(await send()).toBe('two as m');
    expect(await one.count()).toBe(0);
  });

  test('when all have, the caller is told when to come back', async () => {
    start({
      upstreams: [upstream('full', one.url, ['a'])],
      pool: { members: [{ upstream: 'full' }] },
      admit,
    });
    expect(await running().send()).toMatchObject({
      kind: 'failed',
      error: { kind: 'upstream_rate_limited', retryAfterMs: 4_000 },
    });
  });

  test('a try that fails is given back at once, one that answers when the caller has it', async () => {
    await one.script({ status: 500 });
    start({ upstreams: both(), pool: inTurn, admit });
    const answer = await running().send();
    expect(settled).toEqual([['one', null]]);
    if (answer?.kind !== 'answer') throw new Error('an answer is expected');
    answer.settle({ output: 7 });
    expect(settled).toEqual([
      ['one', null],
      ['two', { output: 7 }],
    ]);
  });
});

describe('hedging', () => {
  async function measured(): Promise<Forwarding> {
    const forwarding = start({
      upstreams: both(),
      pool: { ...inTurn, hedge: true, retry_percent: 100 },
    });
    for (let index = 0; index < 50; index += 1) expect(await send()).toBe('one as m');
    return forwarding;
  }

  test('a second upstream is asked when the first is slower than nearly always, and the first is given up', async () => {
    const forwarding = await measured();
    // One of those before may have been hedged too, while the machine stood still.
    const counts = async () => [await one.count(), await two.count()] as const;
    const before = await counts();
    await one.script({ first_delay_ms: 60_000 });
    expect(await send()).toBe('two as m');
    expect((await counts()).map((count, n) => count - (before[n] ?? 0))).toEqual([1, 1]);
    const slow = forwarding.stages[0]?.candidates.find(
      ({ client }) => client.upstream.name === 'one',
    )?.target;
    await waitFor(() => slow?.outstanding === 0, 'the end of the slow attempt');
    expect(slow?.view().lastError).toBeNull();
  });

  test('when the second fails the first is still waited for', async () => {
    await measured();
    const before = await two.count();
    await one.script({ first_delay_ms: 5_000 });
    await two.script({ status: 500 });
    expect(await send()).toBe('one as m');
    expect(await two.count()).toBe(before + 1);
  });

  test('a caller that has left has nobody asked beside', async () => {
    await measured();
    // One of those before may have been hedged, while the machine stood still.
    const before = await two.count();
    await one.script({ first_delay_ms: 700 });
    const gone = new AbortController();
    const pending = send({ gone: gone.signal });
    // The request is on its way then, and no timer has come.
    await new Promise(setImmediate);
    gone.abort();
    expect(await pending).toBe('one as m');
    expect(await two.count()).toBe(before);
  });

  test('without it nobody else is asked', async () => {
    start({ upstreams: both(), pool: inTurn });
    for (let index = 0; index < 50; index += 1) await send();
    await one.script({ first_delay_ms: 300 });
    expect(await send()).toBe('one as m');
    expect(await two.count()).toBe(0);
  });
});
