import type { LedgerOperation } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { HttpException } from '@nestjs/common';
import fc from 'fast-check';
import { BooksModel, type ModelTransaction } from '../../testing/books-model.ts';
import { postingThatCosts } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { requestIdAt } from '../../testing/usage-events.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { postBatch } from '../usage/post-batch.ts';
import { completeAudit } from '../../testing/complete-audit.ts';
import { auditNew } from './audit.ts';
import type { Transactions } from './journal.ts';
import { OperationsService } from './operations.service.ts';
import { shownToBookkeeper } from './transaction-list.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

const REQUESTS = 6;
const request = fc.nat(REQUESTS - 1);
const amount = fc.integer({ min: 1, max: 900 }).map(BigInt);
/** How a database transaction ends before its commit. */
const crash = fc.constantFrom('none', 'none', 'rolled back', 'connection lost');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('post' as const),
      // Jobs side by side, with events that come twice, late and in any order.
      jobs: fc.array(fc.array(request, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('payment', 'grant', 'payout', 'write_off', 'adjustment'),
      amount,
      lowers: fc.boolean(),
      crash,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      request,
      amount: fc.option(amount, { nil: undefined }),
      crash,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('correct' as const), back: fc.nat(4), crash }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), nth: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('close' as const), day: fc.integer({ min: 1, max: 28 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A refund that was undone must not come into force again beside another one. */
const REFUNDED_TWICE: Step[] = [
  { do: 'post', jobs: [[5]], crash: 'none' },
  { do: 'refund', request: 5, amount: undefined, crash: 'none' },
  { do: 'correct', back: 0, crash: 'none' },
  { do: 'refund', request: 5, amount: 1n, crash: 'none' },
  { do: 'correct', back: 1, crash: 'none' },
];

class Crash extends Error {}

/** A database whose transactions do all their work and end before the commit. */
const crashing = (how: string): Transactions => ({
  transaction: (work) =>
    environment.database.transaction(async (manager) => {
      await work(manager);
      if (how === 'connection lost') await manager.query('SELECT pg_terminate_backend(pg_backend_pid())');
      throw new Crash();
    }),
});

const OWNER = { email: 'owner@billing.example' };
const costOf = (index: number) => index * 150;
/** Two and two within a quarter of an hour: posted together they are of one transaction. */
const occurredAt = (index: number) =>
  `2026-11-${String(Math.floor(index / 2) * 9 + 1).padStart(2, '0')}T10:0${index % 2}:00.000Z`;
const closedAt = (day: number) => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`;

let runs = 0;

/** One account through a sequence of steps, in the database and in the model. */
class Rehearsal {
  readonly accountId = uuidv7();
  readonly model = new BooksModel();
  readonly #entered: { key: string; operation: LedgerOperation; shown: object }[] = [];
  readonly #posted = new Set<number>();
  readonly #run = (runs += 1);
  #keys = 0;
  #creditChanges = 0;

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'post':
        return this.#post(step.jobs, step.crash);
      case 'refund':
        return this.#enter(step.crash, this.model.refund(step.request, step.amount), {
          kind: 'refund',
          request_id: this.#requestId(step.request),
          reason: 'a refund',
          ...(step.amount === undefined ? {} : { amount_usd: formatUsd(step.amount) }),
        });
      case 'correct': {
        const nth = this.model.transactions.length - 1 - step.back;
        const wrong = this.model.transactions[nth];
        if (!wrong) return undefined;
        const transaction = (await this.#numbers())[nth] ?? 0;
        const operation = { kind: 'correction', transaction, reason: 'a mistake' } as const;
        return this.#enter(step.crash, this.model.correct(wrong), operation);
      }
      case 'repeat':
        return this.#repeat(step.nth);
      case 'close':
        return this.#close(closedAt(step.day));
      default: {
        const moved = step.do === 'adjustment' && step.lowers ? -step.amount : step.amount;
        return this.#enter(step.crash, this.model.enter(step.do, moved), {
          kind: step.do,
          account_id: this.accountId,
          amount_usd: formatUsd(moved),
          reason: 'a reason',
        });
      }
    }
  }

  async #post(jobs: readonly (readonly number[])[], how: string): Promise<void> {
    const batches = jobs.map((job) =>
      job.map((index) =>
        postingThatCosts(
          costOf(index),
          { request_id: this.#requestId(index), account_id: this.accountId, occurred_at: occurredAt(index) },
          index,
        ),
      ),
    );
    if (how !== 'none') {
      for (const batch of batches) await expect(postBatch(crashing(how), batch, [])).rejects.toThrow();
    }
    const posted = (
      await Promise.all(batches.map((batch) => postBatch(environment.database, batch, [])))
    ).flat();
    const expected = new Set(jobs.flat().filter((index) => !this.#posted.has(index)));
    expect(posted.map(({ event }) => event.request_id).sort()).toEqual(
      [...expected].map((index) => this.#requestId(index)).sort(),
    );
    // Which of the jobs was first is the database's choice.
    const order: { request_id: string }[] = await environment.database.query(
      'SELECT request_id FROM billing.usage WHERE request_id = ANY($1) ORDER BY number',
      [[...expected].map((index) => this.#requestId(index))],
    );
    for (const { request_id } of order) {
      const index = [...expected].find((each) => this.#requestId(each) === request_id) ?? NaN;
      this.#posted.add(index);
      this.model.post(index, BigInt(costOf(index)), occurredAt(index));
    }
  }

  /** However often it crashes before, an operation is done once, if the model says that it can be. */
  async #enter(how: string, allowed: boolean, operation: LedgerOperation): Promise<void> {
    const key = `${this.accountId}-${(this.#keys += 1)}`;
    const by = (database: Transactions) => this.#service(database).post(OWNER, key, operation);
    if (how !== 'none') await expect(by(crashing(how))).rejects.toThrow();
    if (!allowed) {
      await expect(by(environment.database)).rejects.toThrow(HttpException);
      return;
    }
    const { transaction, repeated } = await by(environment.database);
    expect(repeated).toBe(false);
    this.#entered.push({ key, operation, shown: shownToBookkeeper(transaction) });
  }

  #service(database: Transactions): OperationsService {
    return new OperationsService(
      database,
      {
        changed: (accountIds) => {
          expect(accountIds).toEqual([this.accountId]);
          this.#creditChanges += 1;
        },
      },
      { take: async () => undefined, release: async () => {} },
    );
  }

  async #repeat(nth: number): Promise<void> {
    const earlier = this.#entered[nth % Math.max(this.#entered.length, 1)];
    if (!earlier) return;
    const { key, operation, shown } = earlier;
    const service = this.#service(environment.database);
    const again = await service.post(OWNER, key, operation);
    expect([again.repeated, shownToBookkeeper(again.transaction)]).toEqual([true, shown]);
    const other = service.post(OWNER, key, { ...operation, reason: 'another' });
    await expect(other).rejects.toThrow(HttpException);
  }

  async #close(until: string): Promise<void> {
    if (until <= this.model.closedUntil) return;
    this.model.closedUntil = until;
    await environment.database.query('UPDATE billing.account SET closed_until = $2 WHERE id = $1', [
      this.accountId,
      until,
    ]);
  }

  async #numbers(): Promise<number[]> {
    const rows: { number: string }[] = await environment.database.query(
      `SELECT number FROM billing.usage WHERE account_id = $1
       UNION ALL SELECT number FROM billing.ledger_transaction WHERE account_id = $1 AND kind <> 'usage' ORDER BY number`,
      [this.accountId],
    );
    return rows.map(({ number }) => Number(number));
  }

  #requestId(index: number): string {
    return requestIdAt(occurredAt(index), this.#run * REQUESTS + index);
  }

  async check(): Promise<void> {
    expect(this.#creditChanges).toBe(this.#entered.length);
    const rows: { kind: string; amount: string; booked_at: Date }[] = await environment.database.query(
      // What usage took of the ledger is compared with its rows by the audits.
      `SELECT t.number, t.kind, t.booked_at, coalesce(sum(e.amount_pico), 0) AS amount
       FROM billing.ledger_transaction t LEFT JOIN billing.ledger_entry e
         ON e.number = t.number AND e.ledger_account = 'customer:' || t.account_id
       WHERE t.account_id = $1 AND t.kind <> 'usage' GROUP BY t.number
       UNION ALL SELECT number, 'usage', booked_at, -cost_pico FROM billing.usage WHERE account_id = $1 ORDER BY number`,
      [this.accountId],
    );
    expect(rows.map(({ kind, amount }) => ({ kind, amount: BigInt(amount) }))).toEqual(
      this.model.transactions.map(({ kind, amount }) => ({ kind, amount })),
    );
    for (const [at, { bookedAt }] of this.model.transactions.entries()) {
      if (bookedAt !== undefined) expect(rows[at]?.booked_at.toISOString()).toBe(bookedAt);
    }
    const [balance]: { balance_pico: string }[] = await environment.database.query(
      'SELECT balance_pico FROM billing.account_balance WHERE account_id = $1',
      [this.accountId],
    );
    expect(BigInt(balance?.balance_pico ?? 0)).toBe(this.model.balance);
    const usages = this.model.transactions.filter(({ kind }: ModelTransaction) => kind === 'usage');
    for (const usage of usages) {
      const left = this.model.leftOf(usage);
      expect(left >= 0n && left <= -usage.amount).toBe(true);
    }
    const [usage]: { rows: number; cost: string }[] = await environment.database.query(
      'SELECT count(*)::int AS rows, coalesce(sum(cost_pico), 0) AS cost FROM billing.usage WHERE account_id = $1',
      [this.accountId],
    );
    expect(usage?.rows).toBe(usages.length);
    expect(BigInt(usage?.cost ?? 0)).toBe(usages.reduce((sum, { amount }) => sum - amount, 0n));
  }
}

test('whatever happens in whatever order, the books are right', async () => {
  const anyHistory = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });
  await fc.assert(
    fc.asyncProperty(anyHistory, async (steps) => {
      const run = new Rehearsal();
      await environment.database.query(`INSERT INTO billing.account (id, name) VALUES ($1, 'of a run')`, [
        run.accountId,
      ]);
      for (const each of steps) await run.take(each);
      await run.check();
      expect(await auditNew(environment.database)).toMatchObject({ imbalancePico: 0n, differences: [] });
    }),
    { numRuns: 30, examples: [[REFUNDED_TWICE]] },
  );
  expect(await completeAudit(environment.database)).toMatchObject({
    after: 0,
    imbalancePico: 0n,
    differences: [],
  });
}, 120_000);
