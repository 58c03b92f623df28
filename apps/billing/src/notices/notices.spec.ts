// Keys near their budgets and their end, an account that runs dry, a failed export, usage that is rejected and what
// gateways say of upstreams: people of each role ask over HTTP.
import type { AnswerOf, notices } from '@tollgate/api';
import { type GatewayHealth, UPSTREAM_HEALTH_REDIS_KEY } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { uuidv7 } from '../accounts/uuid.ts';

type Notice = AnswerOf<typeof notices.listNotices>['items'][number];

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

let environment: TestEnvironment;
let billing: RunningBilling;
let first: string;
const cookies = { owner: '', finance: '', member: '', theirs: '' };

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  first = environment.first.accountId;
  cookies.owner = await signIn(billing.url, environment.first.email);
  const { account_id: books } = await addPerson(environment, 'finance@billing.example', 'finance');
  cookies.finance = await signIn(billing.url, 'finance@billing.example');
  const member = await addPerson(environment, 'member@billing.example', 'member');
  cookies.member = await signIn(billing.url, member.email);
  const theirs = await addPerson(environment, 'theirs@other.example', 'member');
  cookies.theirs = await signIn(billing.url, theirs.email);
  const { database, redis } = environment;
  const accountId = member.account_id;
  await database.query(
    `UPDATE billing.account SET mode = 'postpaid', credit_limit_pico = NULL, time_zone = 'Asia/Shanghai'`,
  );

  const low = await addKey(database, { accountId, name: 'low', budgetPico: '100', spentPico: '80' });
  await addKey(database, { accountId, name: 'used', budgetPico: '100', spentPico: '100' });
  await addKey(database, { accountId, name: 'well', budgetPico: '100', spentPico: '79' });
  await addKey(database, { accountId, name: 'off', budgetPico: '1', spentPico: '1', status: 'disabled' });
  await addKey(database, { accountId, name: 'gone', budgetPico: '1', spentPico: '1', deletedAt: new Date() });
  await addKey(database, { accountId, name: 'try', budgetPico: '1', spentPico: '1', temporary: true });
  await addKey(database, { accountId, name: 'ends', expiresAt: inDays(6) });
  await addKey(database, { accountId, name: 'lasts', expiresAt: inDays(8) });
  await addKey(database, { accountId, name: 'ended', expiresAt: inDays(-1) });
  const daily = await addKey(database, { accountId, name: 'daily', budgetDailyPico: '10' });
  await database.query(
    `INSERT INTO billing.key_spend (key_id, span, starts_on, spent_pico)
     VALUES ($1, 'day', (now() AT TIME ZONE 'Asia/Shanghai')::date, 9),
       ($1, 'month', date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai')::date, 9),
       ($2, 'day', (now() AT TIME ZONE 'Asia/Shanghai')::date - 1, 9)`,
    [daily.id, low.id],
  );

  const failed = `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark,
      part_rows, provider_name, requested_by, status, account_id, created_at)
    VALUES ($1, 'usage', 'csv', $2, now() - interval '2 days', now(), 0, 1, 'x', 'x', $3, $4, $5)`;
  await database.query(failed, [uuidv7(), 'customer', 'failed', accountId, inDays(-1)]);
  await database.query(failed, [uuidv7(), 'customer', 'done', accountId, inDays(-1)]);
  await database.query(failed, [uuidv7(), 'customer', 'failed', accountId, inDays(-8)]);
  await database.query(failed, [uuidv7(), 'books', 'failed', books, inDays(-1)]);

  await database.query(
    // What waits is not tried again meanwhile: it would be rejected.
    `INSERT INTO billing.usage_rejected (request_id, reason, event, state, next_try_at)
     VALUES ('r1', 'x', '{}', 'rejected', now()), ('r2', 'x', '{}', 'rejected', now()),
       ('r3', 'x', '{}', 'waiting', now() + interval '1 day')`,
  );
  const target = (upstream: string, availability: GatewayHealth['targets'][number]['availability']) => ({
    upstream,
    credential: 'first',
    id: upstream,
    availability,
    state: 'closed' as const,
    since: null,
    until: null,
    failureRate: 0,
    volume: 0,
    latencyMs: null,
    outstanding: 0,
    coolingDownUntil: null,
    disabledSince: availability === 'disabled' ? Date.now() : null,
    lastError: null,
  });
  const health: GatewayHealth = {
    gateway: 'g',
    at: Date.now() + DAY_MS,
    credential_alerts: 0,
    targets: [target('east', 'disabled'), target('west', 'ejected'), target('north', 'ready')],
  };
  for (const gateway of ['g', 'h'])
    await redis.hset(UPSTREAM_HEALTH_REDIS_KEY, gateway, JSON.stringify({ ...health, gateway }));
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

async function ask(who: keyof typeof cookies): Promise<readonly Notice[]> {
  const { body } = await call<AnswerOf<typeof notices.listNotices>>(
    { url: billing.url, cookie: cookies[who] },
    'GET',
    '/api/notices',
  );
  return body.items;
}

const tell = (list: readonly Notice[]): readonly string[] =>
  list.map((notice) => {
    if ('key_name' in notice)
      return [notice.kind, notice.key_name, 'window' in notice ? notice.window : ''].join(' ').trim();
    if ('upstream' in notice) return `${notice.kind} ${notice.upstream}`;
    return notice.kind === 'usage_rejected' ? `${notice.kind} ${notice.events}` : notice.kind;
  });

test('a member is told of the keys, the exports and the money of their account, and of nothing else', async () => {
  const list = await ask('member');
  expect(tell(list)).toEqual([
    'key_budget_used used total',
    'key_budget_low low total',
    'key_budget_low daily daily',
    'export_failed',
    'key_expires ends',
  ]);
  expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  expect(list[1]).toMatchObject({ spent_usd: '0.00000000008', budget_usd: '0.0000000001' });
  expect(await ask('theirs')).toEqual([]);
});

test('who keeps the books is told of usage that is in none, and of all exports; operators of upstreams besides', async () => {
  const books = ['usage_rejected 2', 'export_failed', 'export_failed'];
  expect(tell(await ask('finance'))).toEqual(books);
  expect(tell(await ask('owner'))).toEqual(['credential_refused east', 'upstream_ejected west', ...books]);
});

test.each([
  ['postpaid', null, '0', '50', []],
  ['prepaid', null, '0', '0', ['account_out']],
  ['prepaid', null, '49', '50', ['account_low']],
  ['prepaid', null, '50', '50', []],
  ['postpaid', '10', '-10', '0', ['account_out']],
] as const)(
  'an account that is %s with a limit of %s, a balance of %s and %s spent is told %j',
  async (mode, limit, balance, spent, told) => {
    const { database } = environment;
    await database.query(`UPDATE billing.account SET mode = $2, credit_limit_pico = $3 WHERE id = $1`, [
      first,
      mode,
      limit,
    ]);
    await database.query(
      `INSERT INTO billing.account_balance (account_id, balance_pico, last_number) VALUES ($1, $2, 0)
       ON CONFLICT (account_id) DO UPDATE SET balance_pico = excluded.balance_pico`,
      [first, balance],
    );
    await database.query('DELETE FROM billing.account_hour WHERE account_id = $1', [first]);
    await database.query(
      `INSERT INTO billing.account_hour (account_id, hour, model, outcome, requests, tokens_in, tokens_out, cost_pico)
       VALUES ($1, date_trunc('hour', now()), 'm', 'completed', 1, 1, 1, $2)`,
      [first, spent],
    );
    expect(tell(await ask('owner')).filter((kind) => kind.startsWith('account'))).toEqual(told);
  },
);
