import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { type AuditReport, auditReportedSchema, MESSAGE } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET, waitFor } from '@tollgate/harness';
import {
  Handles,
  createRequestReplyClient,
  Health,
  serviceConfigSchema,
  startService,
} from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import {
  type TestEnvironment,
  PASSWORD,
  silent,
  startTestEnvironment,
} from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, readCookie, logIn, signIn } from '../../testing/people.ts';
import { DATABASE } from '../provided.ts';
import { AuditedChanges } from './audited-changes.interceptor.ts';
import { rememberCallers } from './caller.ts';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly object: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}
interface Page {
  readonly items: readonly Entry[];
  readonly next: string | null;
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

const send = <T = { readonly id: string }>(method: string, path: string, body?: object) =>
  call<T>({ url: billing.url, cookie: owner }, method, path, body);
const list = async (query: string): Promise<Page> =>
  (await send<Page>('GET', `/api/audit-log?${query}`)).body;
const newest = async (query: string): Promise<Entry | undefined> => (await list(query)).items[0];

test('what was done to a key is told with who did it, from where, in which request, and what it changed', async () => {
  const { accountId, email } = environment.first;
  const [person] = await environment.database.query<{ id: string }[]>(
    'SELECT id FROM billing.app_user WHERE email = $1',
    [email],
  );
  const { id } = await addKey(environment.database, { accountId, ownerId: person?.id ?? null });
  const answer = await fetch(`${billing.url}/api/keys/${id}`, {
    method: 'PATCH',
    headers: { cookie: owner, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Renamed', strict: false, limits: { concurrent_requests: 2 } }),
  });
  expect(answer.status).toBe(200);
  const none = { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null };
  expect(await newest(`object=${encodeURIComponent(`key ${id}`)}`)).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    source: 'billing',
    actor: environment.first.email,
    actor_id: expect.any(String),
    role: 'owner',
    action: 'key.change',
    object: `key ${id}`,
    object_name: 'Renamed',
    object_owner: environment.first.email,
    account_id: environment.first.accountId,
    account_name: expect.any(String),
    reason: null,
    before: { name: 'a key', limits: none, operator_fields: {} },
    after: {
      name: 'Renamed',
      limits: { ...none, concurrent_requests: 2 },
      operator_fields: {
        'limits.concurrent_requests': { at: expect.any(String), by: environment.first.email },
      },
    },
    request_id: expect.any(String),
    address: '127.0.0.1',
  });
});

test('every kind of action is in the log', async () => {
  const at = { url: billing.url, cookie: owner };
  const account = (await send('POST', '/api/accounts', { name: 'audited' })).body;
  await send('PATCH', `/api/accounts/${account.id}`, { status: 'disabled' });
  await send('PATCH', `/api/accounts/${account.id}`, { status: 'active' });
  const users = `/api/accounts/${account.id}/users`;
  const params = { email: 'audited@billing.example', password: PASSWORD };
  const user = (await send('POST', users, params)).body;
  await send('PATCH', `${users}/${user.id}`, { role: 'finance' });
  await send('PUT', `${users}/${user.id}/password`, { password: 'another long password' });
  await logIn(billing.url, params.email, 'a wrong password');
  const cookie = readCookie(await logIn(billing.url, params.email, 'another long password'));
  await fetch(`${billing.url}/api/auth/logout`, { method: 'POST', headers: { cookie } });
  await send('DELETE', `${users}/${user.id}`);
  const { id: keyId } = await addKey(environment.database, { accountId: account.id });
  await send('POST', `/api/keys/${keyId}/rotate`, { overlap_s: 0 });
  await send('DELETE', `/api/keys/${keyId}`);
  const paid = { account_id: account.id, amount_usd: '5', reason: 'paid' };
  await enter(at, '/api/ledger/payments', paid);
  const range = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
  const job = (await send('POST', '/api/exports', { kind: 'ledger', format: 'csv', ...range })).body;
  await send('DELETE', `/api/exports/${job.id}`);
  const made = await fetch(`${billing.url}/api/redemption/batches`, {
    method: 'POST',
    headers: { cookie: owner, 'content-type': 'application/json', 'idempotency-key': 'audit-batch' },
    body: JSON.stringify({ count: 2, amount_usd: '1', expires_at: null, note: 'audited' }),
  });
  const batch = (await made.json()) as { id: string; codes: string[] };
  expect(made.status).toBe(201);
  await send('POST', '/api/redemption/redeem', { code: batch.codes[0] });
  await send('GET', `/api/redemption/batches/${batch.id}/codes`);
  await send('POST', `/api/redemption/batches/${batch.id}/revoke`, { reason: 'enough' });
  await fetch(`${billing.url}/api/usage.csv?account_id=${account.id}`, { headers: { cookie: owner } });
  await send('PATCH', '/api/auth/profile', { name: 'Another Name' });

  const { items } = await list('limit=200');
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining([
      ...[
        'account.create',
        'account.change',
        'user.create',
        'user.change',
        'user.set-password',
        'user.remove',
      ],
      ...['sign-in', 'sign-in.failed', 'sign-out', 'key.rotate', 'key.delete', 'ledger.payment'],
      ...['redemption.show-codes', 'usage.download', 'user.rename'],
      ...['export.create', 'redemption.create', 'redemption.redeem', 'redemption.revoke'],
    ]),
  );
  expect(items.find(({ action }) => action === 'ledger.payment')).toMatchObject({
    actor: environment.first.email,
    reason: 'paid',
    after: { amount_usd: '5.00' },
  });
  expect(items.find(({ action }) => action === 'redemption.redeem')?.after).toMatchObject({
    amount_usd: '1.00',
  });
  expect(items.find(({ action }) => action === 'sign-in.failed')).toMatchObject({
    actor: params.email,
    actor_id: null,
    object: `user ${user.id}`,
  });
  const text = JSON.stringify(items);
  for (const secret of [PASSWORD, 'another long password', 'a wrong password', ...batch.codes, '$argon2'])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/sk-[A-Za-z0-9]{20}|[0-9a-f]{64}/);
});

@Controller()
class Things {
  @Handles({
    method: 'POST',
    path: '/things/:id',
    summary: 'Change a thing',
    permission: 'public',
    params: z.object({ id: z.string() }),
    status: 201,
    answer: z.object({}),
  })
  change() {
    return {};
  }
}
@Module({ controllers: [Things], providers: [{ provide: APP_INTERCEPTOR, useClass: AuditedChanges }] })
class ThingsModule {
  static with(database: DataSource): DynamicModule {
    return { module: ThingsModule, providers: [{ provide: DATABASE, useValue: database }] };
  }
}

test('a route that changes something and writes no entry of its own gets one', async () => {
  const service = await startService({
    name: 'things',
    config: serviceConfigSchema.parse({ PORT: 0 }),
    logger: silent,
    health: new Health(),
    module: ThingsModule.with(environment.database),
    configure: rememberCallers,
  });
  const answer = await fetch(`${service.url}/things/secret`, { method: 'POST' });
  await service.stop();
  expect(answer.status).toBe(201);
  expect(await newest('action=request')).toMatchObject({
    actor: 'nobody',
    object: 'POST /things/:id',
    source: 'billing',
  });
});

test('what somebody who is known may not do is in the log, once however often it is tried', async () => {
  const { email, account_id } = await addPerson(environment, 'curious@billing.example', 'member');
  const at = { url: billing.url, cookie: await signIn(billing.url, email) };
  for (let times = 0; times < 3; times += 1)
    expect((await call(at, 'GET', '/api/accounts')).status).toBe(403);
  const entries = async () => (await list(`action=access.refused&actor=${email}`)).items;
  await waitFor(async () => (await entries()).length > 0, 'the entry');
  expect(await entries()).toMatchObject([
    {
      actor: email,
      role: 'member',
      object: 'GET /api/accounts',
      account_id,
      address: '127.0.0.1',
      reason: 'The role member may not do this. Ask an owner or admin of this service.',
      after: { status: 403, code: 'permission_denied' },
    },
  ]);
  // Nobody is known: that is in the service's own log.
  expect((await call({ url: billing.url, cookie: '' }, 'GET', '/api/accounts')).status).toBe(401);
  expect((await list('action=access.refused')).items).toHaveLength(1);
});

test('an action that fails leaves nothing in the log, and one whose entry fails is not done', async () => {
  const { id } = await addKey(environment.database, { accountId: environment.first.accountId });
  const object = encodeURIComponent(`key ${id}`);
  expect((await send('PATCH', `/api/keys/${id}`, { limits: { requests_per_minute: -1 } })).status).toBe(400);
  expect(await newest(`object=${object}`)).toBeUndefined();

  await environment.database.query(
    `ALTER TABLE billing.audit_log ADD CONSTRAINT none CHECK (action <> 'key.delete') NOT VALID`,
  );
  expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(500);
  await environment.database.query('ALTER TABLE billing.audit_log DROP CONSTRAINT none');
  expect((await send('PATCH', `/api/keys/${id}`, { name: 'still here' })).status).toBe(200);
});

test.each([
  `UPDATE billing.audit_log SET actor = 'somebody else'`,
  'DELETE FROM billing.audit_log',
  'TRUNCATE billing.audit_log',
])('%s is refused by the database', async (statement) => {
  await expect(environment.database.query(statement)).rejects.toThrow('append-only');
});

test('the list is filtered by actor, action, object, account and time, and paged without gaps', async () => {
  const { id } = await addKey(environment.database, { accountId: environment.first.accountId });
  for (const name of ['one', 'two', 'three']) await send('PATCH', `/api/keys/${id}`, { name });
  const object = `object=${encodeURIComponent(`key ${id}`)}`;
  const first = await list(`${object}&limit=2`);
  expect(first.items.map(({ after }) => after?.['name'])).toEqual(['three', 'two']);
  const second = await list(`${object}&limit=2&cursor=${first.next}`);
  expect([second.items.map(({ after }) => after?.['name']), second.next]).toEqual([['one'], null]);
  const has = async (query: string) => (await list(`${object}&${query}`)).items.length;
  expect(await has(`actor=${environment.first.email.toUpperCase()}`)).toBe(3);
  expect(await has('actor=nobody@billing.example')).toBe(0);
  expect(await has('action=key.')).toBe(3);
  expect(await has('action=key.change')).toBe(3);
  expect(await has('action=key')).toBe(0);
  expect(await has(`account_id=${environment.first.accountId}`)).toBe(3);
  expect(await has('source=pricing')).toBe(0);
  expect(await has(`from=${first.items[1]?.at}`)).toBe(2);
  expect(await has(`to=${first.items[1]?.at}`)).toBe(1);
});

test.each([
  ['at', ({ at }: Entry) => at],
  ['actor', ({ actor }: Entry) => actor.toLowerCase()],
  ['action', ({ action }: Entry) => action],
] as const)('pages in the order of %s join without a gap, either way round', async (column, of) => {
  const whole = (await list('limit=200')).items;
  const collate = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const read = async (sort: string): Promise<readonly Entry[]> => {
    const paged: Entry[] = [];
    let cursor: string | null = '';
    do {
      const page: Page = await list(`sort=${sort}&limit=7${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.next;
    } while (cursor !== null);
    return paged;
  };
  const [first, last] = [await read(column), await read(`-${column}`)];
  expect(new Set(whole.map(of)).size).toBeGreaterThan(1);
  expect(first.map(of)).toEqual(whole.map(of).toSorted(collate));
  expect(first.map(({ id }) => id).sort()).toEqual(whole.map(({ id }) => id).sort());
  expect(last).toEqual(first.toReversed());
});

test.each(['limit=0', 'sort=object', 'cursor=1', 'from=yesterday', 'action=DROP', 'source=gateway'])(
  'the filter %s is refused',
  async (query) => {
    expect((await send('GET', `/api/audit-log?${query}`)).status).toBe(400);
  },
);

test('those who keep the books read it, others do not', async () => {
  for (const [role, status] of [
    ['finance', 200],
    ['admin', 200],
    ['member', 403],
  ] as const) {
    const { email } = await addPerson(environment, `reader-${role}@billing.example`, role);
    const cookie = await signIn(billing.url, email);
    expect((await call({ url: billing.url, cookie }, 'GET', '/api/audit-log')).status).toBe(status);
  }
  expect((await call({ url: billing.url, cookie: '' }, 'GET', '/api/audit-log')).status).toBe(401);
});

test('what pricing reports is in the list once, however often it is reported', async () => {
  const client = createRequestReplyClient(
    `tcp://127.0.0.1:${billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const version = (number: number): AuditReport['entries'][number] => ({
    version: number,
    actor: 'pricer@billing.example',
    reason: `reason ${number}`,
    at: `2026-11-20T10:00:0${number}.000Z`,
    changes: [{ section: 'models', name: 'm', change: 'changed' }],
  });
  const report = (asked: number[], entries: AuditReport['entries']) =>
    client.request(MESSAGE.auditReport, { asked, entries }, auditReportedSchema);
  expect(await report([1, 3], [])).toEqual({ missing: [1, 3] });
  expect(await report([], [version(1), version(3)])).toEqual({ missing: [] });
  // A later version in the log hides no earlier one that is not.
  expect(await report([1, 2, 3], [])).toEqual({ missing: [2] });
  expect(await report([1, 2, 3], [version(2), version(3)])).toEqual({ missing: [] });
  client.close();
  const { items } = await list('source=pricing');
  expect(items.map(({ object }) => object)).toEqual([3, 2, 1].map((number) => `catalogue version ${number}`));
  expect(items[0]).toMatchObject({
    actor: 'pricer@billing.example',
    action: 'catalogue.publish',
    reason: 'reason 3',
    at: '2026-11-20T10:00:03.000Z',
    after: { changes: [{ section: 'models', name: 'm', change: 'changed' }] },
  });
});
