import { sharedStack } from '../shared-stack.ts';
import { ask, makeOwnPool, ownName, type OwnSimulator, putUpstream, startOwnSimulator } from './own-pool.ts';

const at = sharedStack();
let failing: OwnSimulator;
let healthy: OwnSimulator;
let pool: { model: string; key: string };

beforeAll(async () => {
  [failing, healthy] = await Promise.all([startOwnSimulator(), startOwnSimulator()]);
  const name = ownName('deadline');
  const members = [
    { upstream: await putUpstream(at, `${name}-failing`, failing.url, [`${name}-a`]) },
    { upstream: await putUpstream(at, `${name}-healthy`, healthy.url, [`${name}-b`]), priority: 1 },
  ];
  pool = await makeOwnPool(at, { members, retry_percent: 100 });
});
afterAll(() => Promise.all([failing.close(), healthy.close()]));

test.each<[string, Record<string, string>, number, number]>([
  ['gives up before that', { 'x-stainless-timeout': '1' }, 502, 0],
  ['waits for longer', { 'x-stainless-timeout': '600' }, 200, 1],
  ['does not say', {}, 200, 1],
])(
  'an upstream fails after more than a second: for a caller who %s, the next one is asked only if that is of use',
  async (_how, headers, status, asked) => {
    await failing.script({ status: 500, first_delay_ms: 1_200 });
    const before = (await healthy.requests()).length;
    expect((await ask(at.baseUrl, pool, { headers })).status).toBe(status);
    expect((await healthy.requests()).length - before).toBe(asked);
  },
);
