import { canonicalJson, upstreamSchema } from '@tollgate/catalogue';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { createDataSource } from '../database/data-source.ts';
import { type NewTransaction, withJournal } from '../ledger/journal.ts';
import { CASH, customer } from '../ledger/ledger-accounts.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { balanceAt, closePeriod } from './close-period.ts';
import { openPeriod } from './calendar.ts';
import { sealPeriods } from './seal-periods.ts';
import { verifyChain } from './verify-chain.ts';

const snapshot = snapshotWith({ input: 7, cache_read: 1, output: 11 }, '1');
const costed = {
  ...snapshot,
  catalogue: {
    ...snapshot.catalogue,
    upstreams: [
      upstreamSchema.parse({
        name: 'east',
        base_url: 'https://east.example',
        protocols: ['openai-chat'],
        cost_ratio: '0.5',
      }),
    ],
  },
};
const by = { actor: 'finance@billing.example', reason: 'month-end' };

let environment: TestEnvironment;
let accountId: string;
beforeEach(async () => {
  environment = await startTestEnvironment();
  accountId = environment.first.accountId;
  await environment.database.query(`UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z'`);
});
afterEach(() => environment.stop());

async function post(events: readonly EventFields[], database = environment.database): Promise<void> {
  const postings = events.map((of) => {
    const result = computePosting(usageEvent({ account_id: accountId, ...of }), costed);
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  });
  await postBatch(database, postings, []);
}

const append = (of: Pick<NewTransaction, 'kind' | 'occurredAt' | 'entries'> & { key: string }) =>
  withJournal(environment.database, ({ append: write }) =>
    write([{ ...of, accountId, idempotencyKey: of.key, actor: by.actor, reason: 'a test' }]),
  );

const close = (month: string) => closePeriod(environment.database, accountId, month, by);

test('a closed period holds the balances, the sums of its kinds, of its models and of its tokens', async () => {
  await append({
    key: 'k1',
    kind: 'payment',
    occurredAt: '2025-09-11T00:00:00.000Z',
    entries: [
      { ledgerAccount: CASH, amountPico: -1_000n },
      { ledgerAccount: customer(accountId), amountPico: 1_000n },
    ],
  });
  await post([
    { occurred_at: '2025-09-30T23:59:59.999Z', tokens: { input: 3, output: 5 } },
    { occurred_at: '2025-09-12T00:00:00.000Z', tokens: { input: 1, cache_read: 9 } },
    { occurred_at: '2025-09-12T00:00:00.000Z', upstream: 'west', tokens: { output: 2 } },
    { occurred_at: '2025-10-01T00:00:00.000Z', tokens: { input: 100 } },
  ]);
  const september = await close('2025-09');
  expect(september).toMatchObject({
    from: '2025-09-01T00:00:00.000Z',
    to: '2025-10-01T00:00:00.000Z',
    closed_by: by.actor,
    reason: by.reason,
    previous_hash: null,
    totals: {
      opening_balance_pico: '0',
      closing_balance_pico: String(1_000 - 76 - 16 - 22),
      transactions: 4,
      first_number: 1,
      last_number: 4,
      kinds: [
        { kind: 'payment', transactions: 1, amount_pico: '1000' },
        { kind: 'usage', transactions: 3, amount_pico: '-114' },
      ],
      ledger_accounts: [
        { ledger_account: 'cash', amount_pico: '-1000' },
        { ledger_account: 'cost:east', amount_pico: '-46' },
        { ledger_account: `customer:${accountId}`, amount_pico: '886' },
        { ledger_account: 'payable:east', amount_pico: '46' },
        { ledger_account: 'revenue:acme', amount_pico: '114' },
      ],
      requests: 3,
      usage: [
        {
          vendor: 'acme',
          model: 'm',
          upstream: 'east',
          requests: 2,
          cost_pico: '92',
          upstream_cost_pico: '46',
          requests_of_unknown_cost: 0,
          tokens: { input: 4, output: 5, cache_read: 9, output_audio: 0 },
        },
        {
          upstream: 'west',
          requests: 1,
          cost_pico: '22',
          upstream_cost_pico: '0',
          requests_of_unknown_cost: 1,
          tokens: { output: 2 },
        },
      ],
    },
  });
  const october = await close('2025-10');
  expect(october).toMatchObject({
    previous_hash: september.hash,
    totals: { opening_balance_pico: '886', closing_balance_pico: '186', requests: 1 },
  });
  expect(await verifyChain(environment.database, accountId)).toMatchObject({
    account_id: accountId,
    periods: 2,
    known: 0,
    checked: 5,
    last_hash: october.hash,
    first_difference: null,
  });
});

test('what comes late is booked in the open period, and changes nothing that is closed', async () => {
  await post([{ occurred_at: '2025-09-12T00:00:00.000Z' }]);
  const september = await close('2025-09');
  await post([{ occurred_at: '2025-09-12T00:00:00.001Z' }]);
  const october = await close('2025-10');
  expect((await sealPeriods(environment.database, accountId)).map(({ hash }) => hash)).toEqual([
    september.hash,
    october.hash,
  ]);
  expect([september.totals.requests, october.totals.requests]).toEqual([1, 1]);
  expect((await verifyChain(environment.database, accountId)).first_difference).toBeNull();
});

test('closing a closed period again answers the same, and several at once close it once', async () => {
  await post([{ occurred_at: '2025-09-12T00:00:00.000Z' }]);
  const periods = await Promise.all([1, 2, 3, 4].map(() => close('2025-09')));
  periods.push(await closePeriod(environment.database, accountId, '2025-09', { actor: 'x', reason: 'y' }));
  expect(new Set(periods.map(canonicalJson)).size).toBe(1);
});

test.each([
  ['2025-10', 'the next one of this account is 2025-09'],
  ['2025-08', 'the next one of this account is 2025-09'],
])('%s cannot be closed out of order', async (month, message) => {
  await expect(close(month)).rejects.toThrow(message);
});

test('the month that runs cannot be closed', async () => {
  await environment.database.query(
    `UPDATE billing.account SET created_at = now(), time_zone = 'Asia/Shanghai'`,
  );
  const open = await openPeriod(environment.database.manager, accountId);
  await expect(close(open?.month ?? '')).rejects.toThrow(
    /is not over: it ends at \d{4}-\d\d-01 00:00 \(Asia\/Shanghai\)\.$/,
  );
  expect(await sealPeriods(environment.database, accountId)).toEqual([]);
});

test('the first period is that of the first transaction if the account was made later', async () => {
  await post([{ occurred_at: '2025-07-31T23:00:00.000Z' }]);
  expect(await openPeriod(environment.database.manager, accountId)).toMatchObject({ month: '2025-07' });
  await environment.database.query(`UPDATE billing.account SET time_zone = 'Europe/Berlin'`);
  expect(await openPeriod(environment.database.manager, accountId)).toMatchObject({
    month: '2025-08',
    from: '2025-07-31T22:00:00.000Z',
  });
});

test.each(['Asia/Kathmandu', 'Pacific/Apia', 'America/Sao_Paulo'])(
  'after a move from UTC to %s periods still join without a gap',
  async (timeZone) => {
    await close('2025-09');
    await environment.database.query('UPDATE billing.account SET time_zone = $1', [timeZone]);
    await post([{ occurred_at: '2025-09-30T12:00:00.000Z' }, { occurred_at: '2025-10-31T18:00:00.000Z' }]);
    await close('2025-10');
    await close('2025-11').catch(() => undefined);
    const [september, october] = await sealPeriods(environment.database, accountId);
    expect([september?.to, october?.from]).toEqual(['2025-10-01T00:00:00.000Z', '2025-10-01T00:00:00.000Z']);
    expect(october?.time_zone).toBe(timeZone);
    expect((await verifyChain(environment.database, accountId)).first_difference).toBeNull();
  },
);

test('a closing that was interrupted after its end was set is finished later, with the same result', async () => {
  await post([{ occurred_at: '2025-09-12T00:00:00.000Z' }]);
  const before = await close('2025-09');
  await environment.database.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    await manager.query('DELETE FROM billing.period_seal');
  });
  await post([{ occurred_at: '2025-09-13T00:00:00.000Z' }]);
  expect(await close('2025-09')).toEqual(before);
});

test.each(['period', 'period_seal'])('the database refuses to change a row of %s', async (table) => {
  await close('2025-09');
  for (const statement of [
    `UPDATE billing.${table} SET month = month`,
    `DELETE FROM billing.${table}`,
    `TRUNCATE billing.${table} CASCADE`,
  ])
    await expect(environment.database.query(statement)).rejects.toThrow('append-only');
});

test('while requests are posted and months are closed, closed and open together are always all', async () => {
  const months = ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01'];
  const replicas = await Promise.all(
    [1, 2].map(() => createDataSource(environment.databaseUrl).initialize()),
  );
  const replica = (index: number) => replicas[index % replicas.length] ?? environment.database;
  let working = true;
  const post40 = async (poster: number) => {
    for (let batch = 0; batch < 40; batch += 1)
      await post(
        Array.from({ length: 10 }, (_, index) => ({
          occurred_at: `${months[(poster + batch + index) % months.length]}-1${index}T00:00:00.000Z`,
          tokens: { input: index + 1 },
        })),
        replica(poster),
      );
  };
  const closeAll = async (closer: number) => {
    for (const month of months) await closePeriod(replica(closer), accountId, month, by);
  };
  const seen: [bigint, bigint][] = [];
  const watch = async () => {
    while (working)
      await environment.database.transaction('REPEATABLE READ', async (manager) => {
        const [row]: { balance_pico: string; last_number: string }[] = await manager.query(
          'SELECT balance_pico, b.last_number FROM billing.journal, billing.account_balance b',
        );
        if (row)
          seen.push([
            BigInt(row.balance_pico),
            await balanceAt(manager, accountId, 'infinity', Number(row.last_number)),
          ]);
      });
  };
  const watching = watch();
  await Promise.all([0, 1, 2, 3].map(post40).concat([0, 1].map(closeAll)));
  working = false;
  await watching;
  await Promise.all(replicas.map((each) => each.destroy()));

  expect(seen.length).toBeGreaterThan(0);
  expect(seen.filter(([kept, folded]) => kept !== folded)).toEqual([]);
  const { first_difference, periods } = await verifyChain(environment.database, accountId);
  expect([first_difference, periods]).toEqual([null, months.length]);
  const sealed = await sealPeriods(environment.database, accountId);
  const [open]: { requests: number }[] = await environment.database.query(
    'SELECT count(*)::int AS requests FROM billing.usage WHERE booked_at >= $1',
    [sealed.at(-1)?.to],
  );
  const closedRequests = sealed.reduce((sum, { totals }) => sum + totals.requests, 0);
  expect(closedRequests + (open?.requests ?? 0)).toBe(1_600);
});
