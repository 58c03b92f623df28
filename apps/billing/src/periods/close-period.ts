import { column, readRow } from '@tollgate/platform';
import { audit } from '../audit-log/audit.ts';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { withJournal } from '../ledger/journal.ts';
import { customer } from '../ledger/ledger-accounts.ts';
import { openPeriod } from './calendar.ts';
import { noteUnsealed, sealPeriods } from './seal-periods.ts';
import { closedPeriods, type SealedPeriod } from './sealed-period.ts';

/** Why a period cannot be closed, in words for the person who asked. */
export class NotClosable extends Error {
  override readonly name = 'NotClosable';
  constructor(
    message: string,
    readonly reason:
      | { readonly code: 'no_such_account' }
      | { readonly code: 'periods_in_order'; readonly values: { readonly month: string } }
      | {
          readonly code: 'period_not_over';
          readonly values: { readonly month: string; readonly end: string };
        },
  ) {
    super(message);
  }
}

interface ClosedBy {
  readonly actor: string;
  readonly reason: string;
}

/** A moment on the clocks of a time zone, to the minute, such as "2026-12-01 00:00 (Asia/Shanghai)". */
const toLocalTime = (at: string, timeZone: string): string =>
  `${new Date(at).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })} (${timeZone})`;

/**
 * Closes an account's month: the one after its last closed one, once it is over. The journal is held only while the
 * end is set. From then on nothing can be booked before it, so the totals and the digest are taken without holding
 * anybody up; if that is interrupted, {@link sealPeriods} takes it up again and comes to the same result.
 * A month that is closed already stays as it is.
 *
 * @param signal ends the sealing, which then goes on at the next place that is kept.
 * @throws NotClosable
 * @throws StillSealing for a month that is closed.
 */
export async function closePeriod(
  database: DataSource,
  accountId: string,
  month: string,
  by: ClosedBy,
  signal?: AbortSignal,
): Promise<SealedPeriod> {
  const [known] = await closedPeriods(database.manager, { accountId, month });
  if (!known) await endPeriod(database, accountId, month, by);
  const sealed = (await sealPeriods(database, accountId, { signal })).find(
    (period) => period.month === month,
  );
  if (!sealed) throw new Error(`${month} of ${accountId} is closed but not sealed`);
  return sealed;
}

const endPeriod = (
  database: DataSource,
  accountId: string,
  month: string,
  { actor, reason }: ClosedBy,
): Promise<void> =>
  withJournal(database, async ({ manager }) => {
    const open = await openPeriod(manager, accountId);
    if (!open) throw new NotClosable('There is no such account.', { code: 'no_such_account' });
    // Somebody else may have closed it while we waited for the journal.
    if ((await closedPeriods(manager, { accountId, month })).length > 0) return;
    if (open.month !== month)
      throw new NotClosable(`Periods close in order: the next one of this account is ${open.month}.`, {
        code: 'periods_in_order',
        values: { month: open.month },
      });
    if (!open.isOver) {
      const end = toLocalTime(open.to, open.timeZone);
      throw new NotClosable(`${month} is not over: it ends at ${end}.`, {
        code: 'period_not_over',
        values: { month, end },
      });
    }
    await manager.query(
      `INSERT INTO billing.period (account_id, month, time_zone, starts_at, ends_at, closed_by, reason)
       VALUES ($1, ($2 || '-01')::date, $3, $4, $5, $6, $7)`,
      [accountId, month, open.timeZone, open.from, open.to, actor, reason],
    );
    await noteUnsealed(manager, accountId, month);
    await manager.query('UPDATE billing.account SET closed_until = $2 WHERE id = $1', [accountId, open.to]);
    await audit(manager, {
      action: 'period.close',
      object: `period ${month}`,
      accountId,
      reason,
      actor: { email: actor },
    });
  });

const balanceRow = z.object({ balance: column.bigint });

/** An account's balance at an instant, by the transactions up to a number: its last closed period's and what followed. */
export async function balanceAt(
  manager: EntityManager,
  accountId: string,
  at: string,
  asOf: number,
): Promise<bigint> {
  const row = await readRow(
    manager,
    balanceRow,
    `WITH closed AS (
       SELECT p.ends_at, (s.totals ->> 'closing_balance_pico')::numeric AS balance
       FROM billing.period p JOIN billing.period_seal s USING (account_id, month)
       WHERE p.account_id = $1 AND p.ends_at <= $2 ORDER BY p.month DESC LIMIT 1)
     SELECT (coalesce((SELECT balance FROM closed), 0) + coalesce(sum(e.amount_pico), 0))::text AS balance
     FROM billing.ledger_transaction t JOIN billing.ledger_entry e ON e.number = t.number AND e.ledger_account = $4
     WHERE t.account_id = $1 AND t.booked_at >= coalesce((SELECT ends_at FROM closed), '-infinity')
       AND t.booked_at < $2 AND t.number <= $3`,
    [accountId, at, asOf, customer(accountId)],
  );
  return BigInt(row?.balance ?? '0');
}
