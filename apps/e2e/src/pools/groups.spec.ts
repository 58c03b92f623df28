import { type Books, expectedCost, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import {
  ask,
  keyFor,
  makeOwnPool,
  ownName,
  type OwnSimulator,
  putModel,
  putPool,
  putUpstream,
  requestId,
  startOwnSimulator,
} from './own-pool.ts';

const at = sharedStack();
let books: Books;
let own: OwnSimulator;
beforeAll(async () => {
  books = openBooks(at.databaseUrl);
  own = await startOwnSimulator();
});
afterAll(() => Promise.all([books.close(), own.close()]));
beforeEach(() => own.reset());

/** A group of two models: the first has one upstream, and the second is its fallback on another. */
async function withFallback(protocols: readonly string[]) {
  const name = ownName('group');
  const [model, spare] = [`${name}-model`, `${name}-spare`] as const;
  const first = await putUpstream(at, `${name}-first`, own.url, [`${name}-a`]);
  const second = await putUpstream(at, `${name}-second`, own.url, [`${name}-b`], { protocols });
  await putModel(at, model);
  await putModel(at, spare, { prices: { input: 3_000_000, output: 5_000_000 } });
  await putPool(at, `${name}-model`, [model], { members: [{ upstream: first }] });
  await putPool(at, `${name}-spare`, [spare], { members: [{ upstream: second }] });
  await admin(at, 'PUT', `/api/catalogue/groups/${name}`, {
    ratio: '2',
    models: [model, spare],
    fallbacks: { [model]: [spare] },
  });
  return {
    key: await keyFor(at, name, [model, spare]),
    model,
    spare,
    credentials: [`${name}-a`, `${name}-b`],
  };
}

test.each([
  ['as it came', ['openai-chat']],
  ['converted', ['anthropic-messages']],
])('when a model fails its fallback answers, %s, under its own name and price', async (_how, protocols) => {
  const group = await withFallback(protocols);
  await own.script({ status: 500 }, { credential: group.credentials[0] ?? '' });
  for (const stream of [false, true]) {
    const answer = await ask(at.baseUrl, group, { body: { stream } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-tollgate-fallback')).toBe(group.spare);
    expect(answer.text).toContain(`"model":"${group.spare}"`);
    expect(answer.text).not.toContain(`"model":"${group.model}"`);
    const row = await books.usage(requestId(answer));
    expect(row.model).toBe(group.spare);
    expect(BigInt(row.cost_pico)).toBe(await expectedCost(at, row));
  }
  const asked = await own.requests(group.credentials[1]);
  expect(asked.map(({ body }) => (JSON.parse(body) as { model: string }).model)).toEqual([
    group.spare,
    group.spare,
  ]);
});

test('while a model answers, nothing of its fallback is seen', async () => {
  const group = await withFallback(['openai-chat']);
  const answer = await ask(at.baseUrl, group);
  expect(answer.headers.get('x-tollgate-fallback')).toBeNull();
  expect((await books.usage(requestId(answer))).model).toBe(group.model);
});

test('a key of the group auto is served and billed by the first group that offers the model', async () => {
  const upstream = await putUpstream(at, ownName('auto'), own.url, [ownName('secret')]);
  const cheap = await makeOwnPool(at, { members: [{ upstream }] }, { group: { ratio: '0.5' } });
  const dear = await makeOwnPool(at, { members: [{ upstream }] });
  await admin(at, 'PUT', `/api/catalogue/groups/${dear.model}`, {
    ratio: '3',
    models: [cheap.model, dear.model],
  });
  const before = await admin(at, 'GET', '/api/catalogue');
  try {
    await admin(at, 'PUT', '/api/catalogue/auto-groups', { groups: [cheap.model, dear.model] });
    const key = await keyFor(at, 'auto', [cheap.model, dear.model]);
    for (const [model, group, ratio] of [
      [cheap.model, cheap.model, '0.5'],
      [dear.model, dear.model, '3'],
    ] as const) {
      const answer = await ask(at.baseUrl, { key, model });
      expect(answer.status).toBe(200);
      const row = await books.usage(requestId(answer));
      expect([row.group_name, row.group_ratio]).toEqual([group, ratio]);
    }
    expect((await ask(at.baseUrl, { key, model: 'sim-vip' })).status).toBe(400);
    const { json } = await call(`${at.baseUrl}/api/pricing`);
    expect(json?.['auto_groups']).toEqual([cheap.model, dear.model]);
  } finally {
    await admin(at, 'PUT', '/api/catalogue/auto-groups', { groups: before.catalogue.auto_groups });
  }
});

test('a group with required tags is served by upstreams that have them alone', async () => {
  const name = ownName('tagged');
  const secrets = [`${name}-a`, `${name}-b`];
  const tagged = await putUpstream(at, `${name}-in`, own.url, secrets.slice(0, 1), { tags: [name, 'fast'] });
  const plain = await putUpstream(at, `${name}-out`, own.url, secrets.slice(1), { tags: ['fast'] });
  const pool = await makeOwnPool(
    at,
    { members: [{ upstream: plain }, { upstream: tagged, priority: 1 }] },
    { group: { required_tags: [name] } },
  );
  for (let n = 0; n < 5; n += 1) expect((await ask(at.baseUrl, pool)).status).toBe(200);
  await own.script({ status: 500 }, { credential: secrets[0] ?? '' });
  expect((await ask(at.baseUrl, pool)).status).toBe(502);
  expect((await own.requests(secrets[1])).length).toBe(0);
});
