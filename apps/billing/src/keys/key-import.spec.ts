import type { Session } from '@tollgate/contracts';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addPerson, type Answer, call, signIn } from '../../testing/people.ts';
import { hashKey, newKey } from './key-secret.ts';

type Key = Record<string, unknown> & { readonly id: string };
type Refusal = { readonly error: { readonly param: string | null; readonly message: string } };

let pair: Pair;
let member: Session;
let owner: string;
beforeAll(async () => {
  pair = await startPair();
  member = await addPerson(pair.environment, 'moved@billing.example', 'member');
  owner = await signIn(pair.billing.url, pair.environment.first.email);
});
afterAll(() => pair.stop());

const take = <T = Key>(body: object, cookie = owner): Promise<Answer<T>> =>
  call<T>({ url: pair.billing.url, cookie }, 'POST', '/api/keys/import', { name: 'moved', ...body });
const recordOf = (keyHash: string) => pair.environment.redis.get(`tollgate:key:${keyHash}`);

test('a key of another relay is taken over by its clear text, which is neither shown nor stored', async () => {
  const key = newKey();
  const { status, body } = await take({
    key,
    account_id: member.account_id,
    group: 'vip',
    budgets: { total_usd: '0.000002' },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    account_id: member.account_id,
    name: 'moved',
    group: 'vip',
    status: 'active',
    masked: `${key.slice(0, 7)}…${key.slice(-4)}`,
    budgets: { total_usd: '0.000002', daily_usd: null, monthly_usd: null },
  });
  expect(JSON.stringify(body)).not.toContain(key);
  const [row] = (await pair.environment.database.query(
    'SELECT to_jsonb(k) AS k FROM billing.api_key k WHERE id = $1',
    [body.id],
  )) as { k: Record<string, unknown> }[];
  expect(row?.k).toMatchObject({ key_hash: hashKey(key) });
  expect(JSON.stringify(row)).not.toContain(key);
  expect(JSON.parse((await recordOf(hashKey(key))) ?? '{}')).toMatchObject({ key_id: body.id, group: 'vip' });
});

test('a key is taken over by its hash, and may be disabled from the start', async () => {
  const keyHash = hashKey(newKey());
  const { status, body } = await take({ key_hash: keyHash, masked: 'sk-abcd…wxyz', status: 'disabled' });
  expect([status, body['masked'], body['status']]).toEqual([201, 'sk-abcd…wxyz', 'disabled']);
  expect(JSON.parse((await recordOf(keyHash)) ?? '{}')).toMatchObject({ status: 'disabled' });
});

test('the audit log says who took over which key, and not the key', async () => {
  const key = newKey();
  const { body } = await take({ key });
  const rows = (await pair.environment.database.query('SELECT * FROM billing.audit_log WHERE object = $1', [
    `key ${body.id}`,
  ])) as { action: string; actor: string }[];
  expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
    ['key.import', pair.environment.first.email],
  ]);
  expect(JSON.stringify(rows)).not.toContain(key.slice(8, 40));
});

test('a key that is here already is not taken over again, not even by two at once or as a former secret', async () => {
  const key = newKey();
  const answers = await Promise.all([take({ key }), take({ key_hash: hashKey(key), masked: 'the same' })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const { id } = answers.find(({ status }) => status === 201)?.body ?? { id: '' };
  const at = { url: pair.billing.url, cookie: owner };
  await call(at, 'POST', `/api/keys/${id}/rotate`, { overlap_s: 60 });
  expect((await take<Refusal>({ key })).body.error.param).toBe('key');
});

test.each(['admin', 'finance', 'member'] as const)('the role %s may not take over keys', async (role) => {
  const person = await addPerson(pair.environment, `${role}@import.example`, role);
  const key = newKey();
  expect((await take({ key }, await signIn(pair.billing.url, person.email))).status).toBe(403);
  expect(await recordOf(hashKey(key))).toBeNull();
});

test.each<[object, string]>([
  [{}, 'key'],
  [{ key: newKey(), key_hash: hashKey('x'), masked: 'both' }, 'key'],
  [{ key: 'too-short' }, 'key'],
  [{ key: `sk-${' '.repeat(48)}` }, 'key'],
  [{ key_hash: 'ABC', masked: 'no hash' }, 'key_hash'],
  [{ key_hash: hashKey('a') }, 'masked'],
  [{ key: newKey(), masked: 'its own' }, 'masked'],
  [{ key: newKey(), group: 'no-such-group' }, 'group'],
  [{ key: newKey(), account_id: '0198f1c2-7d1e-7000-8000-000000000001' }, 'account_id'],
])('%j is refused, naming %s', async (body, param) => {
  const answer = await take<Refusal>(body);
  expect([answer.status, answer.body.error.param]).toEqual([400, param]);
});
