import { type KeyRecord, keyRecordRedisKey, keyRecordSchema } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { listenForKeys } from '../../testing/listener.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { lookUpKey } from './key-lookup.ts';
import { hashKey } from './key-secret.ts';

interface Rotated {
  readonly id: string;
  readonly key: string;
  readonly masked: string;
  readonly rotated_from: { readonly masked: string; readonly works_until: string } | null;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  owner = await signIn(billing.url, environment.first.email);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const rotate = (id: string, body: object, cookie = owner) =>
  call<Rotated>({ url: billing.url, cookie }, 'POST', `/api/keys/${id}/rotate`, body);
const change = (id: string, body: object) =>
  call({ url: billing.url, cookie: owner }, 'PATCH', `/api/keys/${id}`, body);
const copyOf = async (hash: string): Promise<KeyRecord | null> => {
  const text = await environment.redis.get(keyRecordRedisKey(hash));
  return text === null ? null : keyRecordSchema.nullable().parse(JSON.parse(text));
};

test('both secrets are the same key while the overlap lasts, and the one before says when it ends', async () => {
  const before = await addKey(environment.database, {
    accountId: environment.first.accountId,
    budgetPico: '5',
    models: ['m'],
    allowedAddresses: ['192.0.2.0/24'],
    concurrentRequests: 3,
  });
  const startedAt = Date.now();
  const { status, body } = await rotate(before.id, { overlap_s: 60 });
  expect(status).toBe(200);
  expect(body.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  expect(body).toMatchObject({ id: before.id, rotated_from: { masked: before.masked } });

  const [now, then] = await Promise.all([
    lookUpKey(environment.database, hashKey(body.key)),
    lookUpKey(environment.database, before.keyHash),
  ]);
  expect(now).toMatchObject({
    key_id: before.id,
    expires_at: null,
    budgets: ['total'],
    models: ['m'],
    allowed_addresses: ['192.0.2.0/24'],
    limits: { concurrent_requests: 3 },
  });
  expect(then).toEqual({ ...now, key_hash: before.keyHash, expires_at: body.rotated_from?.works_until });
  const end = Date.parse(then?.expires_at ?? '');
  expect(end).toBeGreaterThan(startedAt + 55_000);
  expect(end).toBeLessThan(Date.now() + 65_000);
  expect([await copyOf(hashKey(body.key)), await copyOf(before.keyHash)]).toEqual([now, then]);
});

test('a secret never outlives its key', async () => {
  const expiresAt = new Date(Date.now() + 30_000);
  const { id, keyHash } = await addKey(environment.database, {
    accountId: environment.first.accountId,
    expiresAt,
  });
  await rotate(id, { overlap_s: 3_600 });
  expect(await lookUpKey(environment.database, keyHash)).toMatchObject({
    expires_at: expiresAt.toISOString(),
  });
});

test('without an overlap the secret before is gone at once, and gateways are told', async () => {
  const { id, keyHash } = await addKey(environment.database, { accountId: environment.first.accountId });
  const listener = await listenForKeys(environment.redisServer.url);
  await rotate(id, { overlap_s: 0 });
  await waitFor(() => listener.heard.some(({ key_hash }) => key_hash === keyHash), 'the event');
  listener.close();
  expect(await lookUpKey(environment.database, keyHash)).toBeNull();
  expect(await copyOf(keyHash)).toBeNull();
});

test('once the overlap is over the secret is none any more', async () => {
  const { id, keyHash } = await addKey(environment.database, { accountId: environment.first.accountId });
  await rotate(id, { overlap_s: 60 });
  expect(await lookUpKey(environment.database, keyHash)).not.toBeNull();
  await environment.database.query(
    `UPDATE billing.former_secret SET works_until = works_until - interval '60 seconds' WHERE key_id = $1`,
    [id],
  );
  expect(await lookUpKey(environment.database, keyHash)).toBeNull();
});

test('a change of the key, its account or its end reaches gateways for every secret', async () => {
  const { id, keyHash } = await addKey(environment.database, { accountId: environment.first.accountId });
  const hashes = [keyHash, hashKey((await rotate(id, { overlap_s: 60 })).body.key)];
  const copies = () => Promise.all(hashes.map(copyOf));
  await change(id, { status: 'disabled' });
  await waitFor(async () => (await copies()).every((copy) => copy?.status === 'disabled'), 'both records');
  await call({ url: billing.url, cookie: owner }, 'PATCH', `/api/accounts/${environment.first.accountId}`, {
    limits: { tokens_per_minute: 5 },
  });
  await waitFor(
    async () => (await copies()).every((copy) => copy?.account_limits.tokens_per_minute === 5),
    'both records',
  );
  await call({ url: billing.url, cookie: owner }, 'DELETE', `/api/keys/${id}`);
  await waitFor(async () => (await copies()).every((copy) => copy === null), 'no record');
});

test('a change and a rotation at the same time both hold', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id, keyHash } = await addKey(environment.database, { accountId: environment.first.accountId });
    const [rotated] = await Promise.all([
      rotate(id, { overlap_s: 0 }),
      change(id, { name: `round ${round}` }),
    ]);
    expect(await lookUpKey(environment.database, hashKey(rotated.body.key))).toMatchObject({
      name: `round ${round}`,
    });
    expect(await lookUpKey(environment.database, keyHash)).toBeNull();
  }
});

test('a key has five secrets that work, not more', async () => {
  const { id } = await addKey(environment.database, { accountId: environment.first.accountId });
  const statuses = [];
  for (let n = 0; n < 5; n += 1) statuses.push((await rotate(id, { overlap_s: 600 })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 409]);
});

test.each([
  {},
  { overlap_s: -1 },
  { overlap_s: 1.5 },
  { overlap_s: 2_592_001 },
  { overlap_s: 1, key: 'sk-mine' },
])('a rotation with %j is refused and changes nothing', async (body) => {
  const { id, keyHash } = await addKey(environment.database, { accountId: environment.first.accountId });
  expect((await rotate(id, body)).status).toBe(400);
  expect(await lookUpKey(environment.database, keyHash)).toMatchObject({ key_id: id, expires_at: null });
});

test('nobody rotates the key of another account', async () => {
  const { id } = await addKey(environment.database, { accountId: environment.first.accountId });
  const { email } = await addPerson(environment, 'stranger@billing.example', 'member');
  const stranger = await signIn(billing.url, email);
  expect((await rotate(id, { overlap_s: 0 }, stranger)).status).toBe(404);
  expect((await rotate('not-a-uuid', { overlap_s: 0 })).status).toBe(404);
});
