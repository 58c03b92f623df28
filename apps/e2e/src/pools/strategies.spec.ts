import { waitFor } from '@tollgate/harness';
import { sharedStack } from '../shared-stack.ts';
import { ask, makeOwnPool, ownName, type OwnSimulator, putUpstream, startOwnSimulator } from './own-pool.ts';

// Strategies that go by what a gateway sees of its own requests; the others are in `pools.spec.ts`.
const at = sharedStack();
let one: OwnSimulator;
let two: OwnSimulator;
beforeAll(async () => {
  [one, two] = await Promise.all([startOwnSimulator(), startOwnSimulator()]);
});
afterAll(() => Promise.all([one.close(), two.close()]));
beforeEach(() => Promise.all([one.reset(), two.reset()]));

/** Two upstreams of which the first has this weight, and the second 1. */
async function poolOf(strategy: string, weight: number): Promise<{ model: string; key: string }> {
  const name = ownName('strategy');
  return makeOwnPool(at, {
    strategy,
    members: [
      { upstream: await putUpstream(at, `${name}-one`, one.url, [`${name}-a`]), weight },
      { upstream: await putUpstream(at, `${name}-two`, two.url, [`${name}-b`]) },
    ],
  });
}
const counts = async () => [(await one.requests()).length, (await two.requests()).length];

test.each([
  [1, [6, 6]],
  [2, [8, 4]],
])(
  'least-outstanding: of twelve requests that are under way at once, a weight of %i to 1 makes %j',
  async (weight, expected) => {
    const pool = await poolOf('least-outstanding', weight);
    await Promise.all([one, two].map((each) => each.script({ hang: true })));
    const leaving = new AbortController();
    const all: Promise<unknown>[] = [];
    for (let n = 1; n <= 12; n += 1) {
      all.push(ask(at.baseUrl, pool, { signal: leaving.signal }).catch((error: Error) => error.name));
      await waitFor(async () => (await counts()).reduce((sum, each) => sum + each, 0) === n, 'the request');
    }
    expect(await counts()).toEqual(expected);
    leaving.abort();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['AbortError']));
  },
);

test('latency: an upstream that was found to be slow is asked no more while a faster one is idle', async () => {
  const pool = await poolOf('latency', 1);
  await one.script({ first_delay_ms: 12_000 });
  for (let n = 0; n < 12; n += 1) expect((await ask(at.baseUrl, pool)).status).toBe(200);
  expect(await counts()).toEqual([1, 11]);
});
