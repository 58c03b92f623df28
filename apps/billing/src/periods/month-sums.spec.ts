import { formatUsd } from '@tollgate/money';
import fc from 'fast-check';
import { SYNTHETIC_ACCOUNTS, syntheticSpan, fillSyntheticLedger } from '../../testing/synthetic-ledger.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { AccountEntity } from '../accounts/account.entity.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createDataSource } from '../database/data-source.ts';
import { auditAllSums } from '../../testing/complete-audit.ts';
import { auditAccountSums } from '../ledger/audit-sums.ts';
import { paymentEntries, refundEntries } from '../ledger/entries.ts';
import { withJournal } from '../ledger/journal.ts';
import { readTransaction } from '../ledger/transactions.ts';
import { postBatch } from '../usage/post-batch.ts';
import type { PostedUsage } from '../usage/posting.ts';
import { rebuildAccountHours, rebuildHours } from '../usage/usage-hours.ts';
import { readStatement } from '../statements/statement.ts';
import { keyLines } from '../statements/statement-keys.ts';
import { listStatements } from '../statements/statement-list.ts';
import { readAccountMonths } from './account-months.ts';
import { monthIn, openPeriod } from './calendar.ts';
import { balanceAt, closePeriod } from './close-period.ts';
import { rebuildMonths } from './month-sums.ts';
import { computeTotals } from './totals.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

const by = { actor: 'finance@billing.example', reason: 'a test' };
const KEYS = ['0198f1c2-7d1e-7000-9000-000000000001', '0198f1c2-7d1e-7000-9000-000000000002'];
const MONTHS = ['2025-08', '2025-09', '2025-10', '2025-11', '2025-12'];

async function addAccount(timeZone: string, id = uuidv7()): Promise<string> {
  await environment.database
    .getRepository(AccountEntity)
    .insert({ id, name: 'A', status: 'active', timeZone });
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z' WHERE id = $1`,
    [id],
  );
  return id;
}

/** What the statements of open months say must be what the rows say, one by one. */
async function statementsAreThoseOfTheRows(accountId: string): Promise<void> {
  const { manager } = environment.database;
  const open = await openPeriod(manager, accountId);
  if (!open) throw new Error('there is no such account');
  const list = new Map(
    (await listStatements(environment.database, accountId, 240)).map((each) => [each.month, each]),
  );
  const { months, items } = await readAccountMonths(environment.database, {
    to: '2025-12',
    months: 5,
    find: accountId,
  });
  const own = items[0]?.months ?? [];
  expect([items[0]?.account_id, months, own.length]).toEqual([accountId, MONTHS, 5]);
  for (const [index, month] of months.entries()) {
    const { status = null, usage_usd = '0.00', credit_usd = '0.00', requests = 0 } = list.get(month) ?? {};
    expect(own[index]).toEqual({ status, usage_usd, credit_usd, requests });
  }
  for (const month of MONTHS.filter((each) => each >= open.month)) {
    const { from, to } = month === open.month ? open : await monthIn(manager, month, open.timeZone);
    const asOf = Number.MAX_SAFE_INTEGER;
    const opening = await balanceAt(manager, accountId, from, asOf);
    const totals = await computeTotals(manager, { accountId, from, to }, opening);
    const usage = totals.kinds.find(({ kind }) => kind === 'usage');
    const statement = await readStatement(environment.database, accountId, month);
    expect(statement).toMatchObject({
      opening_balance_usd: formatUsd(opening),
      closing_balance_usd: formatUsd(BigInt(totals.closing_balance_pico)),
      usage_usd: formatUsd(-BigInt(usage?.amount_pico ?? '0')),
      movements: totals.kinds
        .filter(({ kind }) => kind !== 'usage')
        .map(({ kind, transactions, amount_pico }) => ({
          kind,
          transactions,
          amount_usd: formatUsd(BigInt(amount_pico)),
        })),
      lines: [...Map.groupBy(totals.usage, ({ model }) => model)].map(([model, parts]) => ({
        model,
        requests: parts.reduce((sum, { requests }) => sum + requests, 0),
        cost_usd: formatUsd(parts.reduce((sum, { cost_pico }) => sum + BigInt(cost_pico), 0n)),
      })),
    });
    expect(list.get(month)).toMatchObject({
      opening_balance_usd: statement.opening_balance_usd,
      usage_usd: statement.usage_usd,
      closing_balance_usd: statement.closing_balance_usd,
      requests: totals.requests,
    });
    const keys: { key_id: string; requests: number; cost: string }[] = await manager.query(
      `SELECT key_id, count(*)::int AS requests, sum(cost_pico)::text AS cost FROM billing.usage
       WHERE account_id = $1 AND booked_at >= $2 AND booked_at < $3 GROUP BY 1 ORDER BY sum(cost_pico) DESC, 1`,
      [accountId, from, to],
    );
    expect(await keyLines(environment.database, accountId, month)).toMatchObject(
      keys.map(({ cost, ...line }) => ({ ...line, cost_usd: formatUsd(BigInt(cost)) })),
    );
  }
}

const request = fc.record({
  do: fc.constant('usage' as const),
  // Most of them where months meet, on one clock or another.
  at: fc.tuple(
    fc.constantFrom('2025-09', '2025-10', '2025-11', '2025-12'),
    fc.integer({ min: -40, max: 40 }),
  ),
  cost: fc.nat(1_000),
  key: fc.constantFrom(...KEYS),
});
const step = fc.oneof(
  { arbitrary: fc.array(request, { minLength: 1, maxLength: 8 }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constantFrom('payment' as const, 'refund' as const),
      amount: fc.integer({ min: 1, max: 99 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.constant({ do: 'close' as const }), weight: 1 },
);

/** What a refund of a request says of it. */
async function refundOf({ number, event }: PostedUsage) {
  const transaction = await readTransaction(environment.database.manager, { number });
  if (!transaction) throw new Error(`there is no transaction of ${number}`);
  return { corrects: transaction.number, refundedRequest: event.request_id };
}

test('after any postings, refunds, late events and closings the sums are those of the rows, to the pico', async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('UTC', 'America/St_Johns', 'Asia/Kathmandu'),
      fc.array(step, { maxLength: 8 }),
      async (timeZone, steps) => {
        const accountId = await addAccount(timeZone);
        let last: PostedUsage | undefined;
        for (const each of steps) {
          if (Array.isArray(each)) {
            const postings = each.map(({ at: [month, quarters], cost, key }) =>
              postingThatCosts(cost, {
                account_id: accountId,
                key_id: key,
                occurred_at: new Date(Date.parse(`${month}-01T00:00:00Z`) + quarters * 900_000).toISOString(),
              }),
            );
            last =
              (await postBatch(environment.database, postings, [])).find(({ costPico }) => costPico > 0n) ??
              last;
          } else if (each.do === 'close') {
            const open = await openPeriod(environment.database.manager, accountId);
            if (open) await closePeriod(environment.database, accountId, open.month, by);
          } else {
            const isRefund =
              each.do === 'refund' && last !== undefined && last.costPico >= BigInt(each.amount);
            await withJournal(environment.database, async ({ append }) =>
              append([
                {
                  kind: isRefund ? 'refund' : 'payment',
                  accountId,
                  occurredAt: '2025-10-31T23:59:59.999Z',
                  entries:
                    isRefund && last
                      ? refundEntries({ ...last, accountId }, BigInt(each.amount))
                      : paymentEntries(accountId, BigInt(each.amount)),
                  idempotencyKey: `step-${(made += 1)}`,
                  ...by,
                  ...(isRefund && last ? await refundOf(last) : {}),
                },
              ]),
            );
          }
        }
        await statementsAreThoseOfTheRows(accountId);
        expect(await auditAccountSums(environment.database.manager, [accountId])).toEqual([]);
      },
    ),
    { numRuns: 15 },
  );
  expect(await auditAllSums(environment.database.manager)).toEqual([]);
}, 300_000);

test('sums that are worked out again, as by a change of time zone, are those that were kept', async () => {
  const accountId = await addAccount('UTC');
  const at = (occurred_at: string) => postingThatCosts(7, { account_id: accountId, occurred_at });
  await postBatch(environment.database, [at('2025-09-30T23:59:59.999Z'), at('2025-10-01T00:00:00.000Z')], []);
  const kept = () =>
    environment.database.query('SELECT * FROM billing.usage_month ORDER BY account_id, month, key_id, model');
  const before: unknown = await kept();
  await environment.database.transaction((manager) => rebuildMonths(manager));
  expect(await kept()).toEqual(before);
  await environment.database.transaction(async (manager) => {
    await manager.query(`UPDATE billing.account SET time_zone = 'America/St_Johns' WHERE id = $1`, [
      accountId,
    ]);
    await rebuildMonths(manager, accountId);
    await rebuildHours(manager, accountId);
    await rebuildAccountHours(manager, accountId);
  });
  expect(await listStatements(environment.database, accountId, 240)).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ month: '2025-09', requests: 2 })]) as object,
  );
  expect(await auditAllSums(environment.database.manager)).toEqual([]);
});

test('what a clock of 1970 had booked before clocks were checked is of one month, not of 681', async () => {
  const accountId = await addAccount('UTC');
  await postBatch(
    environment.database,
    [postingThatCosts(5, { account_id: accountId, occurred_at: '1970-01-01T00:00:00.000Z' })],
    [],
  );
  const open = await openPeriod(environment.database.manager, accountId);
  expect(open).toMatchObject({
    month: '2023-09',
    from: '1970-01-01T00:00:00.000Z',
    to: '2023-10-01T00:00:00.000Z',
  });
  expect(await readStatement(environment.database, accountId, '2023-09')).toMatchObject({
    lines: [{ requests: 1 }],
  });
  const closed = await closePeriod(environment.database, accountId, '2023-09', by);
  expect(closed.totals).toMatchObject({ requests: 1, closing_balance_pico: '-5' });
});

test('statements of an open month read as many rows of 20,000 requests as of 200', async () => {
  const read = async (rows: number): Promise<number> => {
    const other = await startTestEnvironment();
    const one = await createDataSource(other.databaseUrl, {
      poolSize: 1,
      statement_timeout: 60_000,
    }).initialize();
    try {
      const [accountId = ''] = SYNTHETIC_ACCOUNTS;
      await one.getRepository(AccountEntity).insert({ id: accountId, name: 'A', status: 'active' });
      await one.query(`UPDATE billing.account SET created_at = $1`, [syntheticSpan(rows).from]);
      await fillSyntheticLedger(one, rows);
      await one.query('ANALYZE');
      const counted = async (): Promise<number> => {
        // Of a pool of one connection the next statement begins after the figures of those before were handed in.
        await one.query('SELECT pg_stat_force_next_flush()');
        const [row] = (await one.query(
          `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables
           WHERE schemaname = 'billing' AND relname ~ '^(usage_\\d|usage_default|ledger_|account_balance)'`,
        )) as { rows: number }[];
        return row?.rows ?? 0;
      };
      await counted();
      const before = await counted();
      await readStatement(one, accountId, '2026-11');
      await listStatements(one, accountId, 36);
      await keyLines(one, accountId, '2026-11');
      await counted();
      return (await counted()) - before;
    } finally {
      await one.destroy();
      await other.stop();
    }
  };
  const [few, many] = [await read(200), await read(20_000)];
  expect(many).toBeGreaterThan(0);
  expect(many).toBeLessThanOrEqual(few + 5);
  expect(many).toBeLessThan(60);
}, 120_000);
