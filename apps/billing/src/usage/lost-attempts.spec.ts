// What attempts that brought nothing cost is posted as usage is, through the same queue and once, and shown to those who keep
// the books alone.
import { upstreamSchema } from '@tollgate/catalogue';
import { formatUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import type { AuditCheck } from '@tollgate/vocabulary';
import { completeAudit } from '../../testing/complete-audit.ts';
import { OPERATOR } from '../ledger/ledger-accounts.ts';
import { missingUsage } from './missing-usage.ts';
import { postBatch } from './post-batch.ts';
import { type Posting, computePosting } from './posting.ts';

const base = snapshotWith({ input: 10, output: 40 }, '2');
const east = upstreamSchema.parse({
  name: 'east',
  base_url: 'https://east.example',
  protocols: ['openai-chat'],
  cost_ratio: '0.5',
});
const snapshot = {
  ...base,
  catalogue: {
    ...base.catalogue,
    models: base.catalogue.models.map((model) => ({ ...model, request_price: 1_000 })),
    upstreams: [east],
  },
};
const TOKENS = { input: 100, output: 20 };
const REQUEST = 'req_that_was_answered';
/** Half of the list price, which has no ratio of a group. */
const COST = 900n;

function posting(of: EventFields): Posting {
  const result = computePosting(usageEvent({ tokens: TOKENS, ...of }), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: { url: string; cookie: string };
let customer: { url: string; cookie: string };
let key: string;
let lost: Posting[];
let posted: Posting[];
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  owner = { url: billing.url, cookie: await signIn(billing.url, environment.first.email) };
  const { account_id } = await addPerson(environment, 'member@billing.example', 'member');
  customer = { url: billing.url, cookie: await signIn(billing.url, 'member@billing.example') };
  key = (await addKey(environment.database, { accountId: account_id })).id;
  const of = { account_id, key_id: key };
  lost = [
    posting({ ...of, request_id: `${REQUEST}.1`, lost: 'timeout' }),
    posting({ ...of, request_id: `${REQUEST}.2`, lost: 'hedge', upstream: 'of unknown cost' }),
  ];
  const answered = posting({ ...of, request_id: REQUEST });
  posted = [];
  for (const batch of [[...lost, answered], lost, [...lost].reverse()])
    posted.push(...(await postBatch(environment.database, batch, [])));
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const query = <T>(sql: string): Promise<T[]> => environment.database.query(sql);

test('a lost attempt has entries of its upstream alone, without the price of a request or the group’s ratio', () => {
  expect(lost[0]).toMatchObject({
    costPico: 0n,
    upstreamCostPico: expect.any(BigInt),
    entries: [{ ledgerAccount: 'cost:east' }, { ledgerAccount: 'payable:east' }],
  });
  expect(lost[1]).toMatchObject({ costPico: 0n, upstreamCostPico: null, entries: [] });
});

test('it is posted once however often it comes, beside its request, and is missing nowhere', async () => {
  expect(posted.map(({ event }) => event.request_id).toSorted()).toEqual([
    REQUEST,
    `${REQUEST}.1`,
    `${REQUEST}.2`,
  ]);
  expect(await query('SELECT request_id FROM billing.usage')).toEqual([{ request_id: REQUEST }]);
  expect(
    await query(
      `SELECT request_id, cause, tokens_input::int AS input, tokens_output::int AS output FROM billing.lost_attempt
       ORDER BY request_id`,
    ),
  ).toEqual([
    { request_id: `${REQUEST}.1`, cause: 'timeout', ...TOKENS },
    { request_id: `${REQUEST}.2`, cause: 'hedge', ...TOKENS },
  ]);
  const ids = [REQUEST, `${REQUEST}.1`, `${REQUEST}.2`];
  expect(await missingUsage(environment.database, [...ids, `${REQUEST}.3`])).toEqual([`${REQUEST}.3`]);
});

test('the customer and the key pay for the request alone', async () => {
  const [spent] = await query<{ spent: string }>(
    `SELECT spent_pico::text AS spent FROM billing.api_key WHERE id = '${key}'`,
  );
  const [cost] = await query<{ cost: string }>('SELECT cost_pico::text AS cost FROM billing.usage');
  expect(spent?.spent).toBe(cost?.cost);
  const { body } = await call<{ balance_usd: string }>(customer, 'GET', '/api/ledger/balance');
  expect(body.balance_usd).toBe(formatUsd(-BigInt(cost?.cost ?? 0)));
});

test('only those who keep the books see what it cost', async () => {
  const list = (who: typeof owner, filter: string) =>
    call<{ items: { number: number; account_id: string; entries?: object[] }[] }>(
      who,
      'GET',
      `/api/ledger/transactions?${filter}`,
    );
  expect((await list(customer, '')).body.items).toHaveLength(1);
  expect((await list(customer, 'kind=lost_attempt')).body.items).toEqual([]);
  const { items } = (await list(owner, 'account_id=all&kind=lost_attempt')).body;
  const [withCost] = items;
  expect(items).toHaveLength(1);
  expect(withCost).toMatchObject({
    account_id: OPERATOR,
    entries: [{ ledger_account: 'cost:east' }, { ledger_account: 'payable:east' }],
  });
  const number = withCost?.number ?? 0;
  expect((await call(customer, 'GET', `/api/ledger/transactions/${number}`)).status).toBe(404);
  const body = { transaction: number, reason: 'the upstream did not bill it' };
  expect((await enter(owner, '/api/ledger/corrections', body)).status).toBe(409);
});

test('margins count it as cost, and tell it apart', async () => {
  const { body } = await call<{ groups: object[]; total: object }>(
    owner,
    'GET',
    '/api/finance/margins?group_by=upstream',
  );
  const requestCost = lost[0]?.upstreamCostPico ?? 0n;
  expect(requestCost).toBeGreaterThanOrEqual(COST);
  expect(body.total).toMatchObject({
    requests: 1,
    requests_of_unknown_cost: 0,
    upstream_cost_usd: formatUsd(requestCost * 2n),
    lost_attempts: 2,
    lost_attempts_of_unknown_cost: 1,
    lost_attempts_cost_usd: formatUsd(requestCost),
  });
  expect(body.groups).toContainEqual(
    expect.objectContaining({ upstream: 'of unknown cost', requests: 0, revenue_usd: '0.00' }),
  );
  const [ledger] = await query<{ cost: string }>(
    `SELECT (-sum(amount_pico))::text AS cost FROM billing.ledger_entry WHERE ledger_account LIKE 'cost:%'`,
  );
  expect(ledger?.cost).toBe(String(requestCost * 2n));
});

class RolledBack extends Error {}
const OF_FIRST = `WHERE request_id = '${REQUEST}.1'`;
const THEIR_NUMBER = `(SELECT number FROM billing.ledger_transaction WHERE kind = 'lost_attempt')`;
test.each<[string, string, AuditCheck[]]>([
  ['nothing', 'SELECT 1', []],
  [
    'that its row is gone',
    `DELETE FROM billing.lost_attempt ${OF_FIRST}`,
    ['lost_attempt_without_row', 'lost_attempt_differs_from_entries', 'digest_differs_from_rows'],
  ],
  [
    'that its row says something else',
    `UPDATE billing.lost_attempt SET upstream_cost_pico = upstream_cost_pico + 1 ${OF_FIRST}`,
    ['lost_attempt_differs_from_entries', 'digest_differs_from_rows'],
  ],
  [
    'that its row is of another request',
    `UPDATE billing.lost_attempt SET request_id = 'another' ${OF_FIRST}`,
    ['digest_differs_from_rows'],
  ],
  [
    'that a customer pays it',
    `UPDATE billing.ledger_entry SET ledger_account = 'customer:${OPERATOR}'
     WHERE number = ${THEIR_NUMBER} AND amount_pico < 0`,
    ['lost_attempt_differs_from_entries'],
  ],
])('an audit finds %s', async (_what, statement, checks) => {
  const done = environment.database.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query(statement);
    const { differences } = await completeAudit(manager);
    const ofTransactions = differences.filter(({ number }) => number !== undefined);
    expect(ofTransactions.map(({ check }) => check)).toEqual(checks);
    throw new RolledBack();
  });
  await expect(done).rejects.toThrow(RolledBack);
});
