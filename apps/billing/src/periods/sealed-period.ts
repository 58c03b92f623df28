import { createHash } from 'node:crypto';
import { canonicalJson } from '@tollgate/catalogue';
import { column, readRows } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { PeriodTotals } from './totals.ts';

/** A closed period as the database holds it. */
export interface SealedPeriod {
  readonly account_id: string;
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly closed_at: string;
  readonly closed_by: string;
  readonly reason: string;
  readonly totals: PeriodTotals;
  /** Of the period's transactions and entries. */
  readonly digest: string;
  /** Of the account's period before; null for its first. */
  readonly previous_hash: string | null;
  /** Of all of the above. */
  readonly hash: string;
}

/** SHA-256 of a period's canonical JSON without its own hash: it vouches for all periods before as well. */
export const periodHash = (period: Omit<SealedPeriod, 'hash'>): string =>
  createHash('sha256').update(canonicalJson(period)).digest('hex');

type Manager = Pick<EntityManager, 'query'>;
const periodRow = z.object({
  account_id: column.uuid,
  month: column.text,
  time_zone: column.text,
  starts_at: column.timestamp,
  ends_at: column.timestamp,
  closed_at: column.timestamp,
  closed_by: column.text,
  reason: column.text,
  // What was sealed is vouched for by its hash, whatever later releases add to it.
  totals: z.custom<PeriodTotals>().nullable(),
  digest: column.text.nullable(),
  previous_hash: column.text.nullable(),
  hash: column.text.nullable(),
});

/** A closed period whose totals may not have been worked out yet. */
export type ClosedPeriod = Omit<SealedPeriod, 'totals' | 'digest' | 'hash'> & {
  readonly sealed: SealedPeriod | null;
};

/** Closed periods, oldest first. */
export async function closedPeriods(
  manager: Manager,
  where: { readonly accountId: string; readonly month?: string },
): Promise<ClosedPeriod[]> {
  const rows = await readRows(
    manager,
    periodRow,
    `SELECT p.account_id, to_char(p.month, 'YYYY-MM') AS month, p.time_zone, p.starts_at, p.ends_at, p.closed_at,
       p.closed_by, p.reason, s.totals, s.digest, s.previous_hash, s.hash
     FROM billing.period p LEFT JOIN billing.period_seal s USING (account_id, month)
     WHERE p.account_id = $1 AND ($2::text IS NULL OR p.month = ($2 || '-01')::date) ORDER BY p.month`,
    [where.accountId, where.month ?? null],
  );
  return rows.map(closedPeriodOf);
}

function closedPeriodOf({
  starts_at,
  ends_at,
  closed_at,
  totals,
  digest,
  hash,
  ...row
}: z.infer<typeof periodRow>): ClosedPeriod {
  const period = {
    ...row,
    from: starts_at.toISOString(),
    to: ends_at.toISOString(),
    closed_at: closed_at.toISOString(),
  };
  const sealed = totals && digest && hash ? { ...period, totals, digest, hash } : null;
  return { ...period, sealed };
}
