import {
  type BackgroundBegin,
  type BackgroundBegun,
  type BackgroundEnd,
  type BackgroundFind,
  backgroundRequestSchema,
  type BackgroundStart,
  type CreditScope,
  creditScopeSchema,
  type FoundJob,
  type LeasedJob,
} from '@tollgate/contracts';
import type { CreditHold } from '@tollgate/limits';
import { column, countChanged, hasRows, readRow, readRows, requireRow } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Credit } from '../credit/credit.ts';
import type { UsageBooks } from '../usage/usage-books.ts';

/** Jobs that may be open at once. */
interface BackgroundLimits {
  readonly perKey: number;
  readonly perAccount: number;
}

interface BackgroundParts {
  readonly database: DataSource;
  readonly books: Pick<UsageBooks, 'post'>;
  readonly credit: Pick<Credit, 'release'>;
  readonly limits: BackgroundLimits;
}

/** Any lock class of its own: begins of an account take turns. */
const BEGIN_LOCK = 7_302_011;
/** A gateway that is killed leaves its jobs to the others after this. */
const LEASE_S = 30;
/** Seconds to the next look: they grow by half from one, up to this. */
const POLL_MAX_S = 30;
const DUE = `state = 'running' AND poll_at <= now() AND leased_until <= now()`;

/**
 * Answers that go on at an upstream after their request was answered. The row is the job: a gateway that asks for the
 * upstream's state leases it, and one that is killed is taken over. Its end is posted under the id of its request, which the
 * ledger takes once, so that it is in the books once whoever polls it how often.
 */
export class BackgroundJobs {
  private readonly parts: BackgroundParts;

  constructor(parts: BackgroundParts) {
    this.parts = parts;
  }

  /** Makes room for a job, before its request is sent. */
  begin({ request_id, account_id, key_id, hold }: BackgroundBegin): Promise<BackgroundBegun> {
    const { database, limits } = this.parts;
    return database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [BEGIN_LOCK, account_id]);
      const open = await requireRow(
        manager,
        openJobsRow,
        `SELECT count(*)::int AS of_account, count(*) FILTER (WHERE key_id = $2)::int AS of_key
         FROM billing.background_job WHERE account_id = $1 AND state <> 'ended'`,
        [account_id, key_id],
      );
      if (open.of_account >= limits.perAccount) return 'account full';
      if (open.of_key >= limits.perKey) return 'key full';
      await manager.query(
        `INSERT INTO billing.background_job (request_id, account_id, key_id, hold_micro, hold_scopes)
         VALUES ($1, $2, $3, $4, $5)`,
        [request_id, account_id, key_id, hold?.amount ?? null, hold?.scopes ?? []],
      );
      return 'begun';
    });
  }

  /** Notes where it runs. False for a job that is not starting any more: it was given up meanwhile. */
  async start({ request_id, place, response_id, status, request }: BackgroundStart): Promise<boolean> {
    const { database } = this.parts;
    const changed = await countChanged(
      database,
      `UPDATE billing.background_job SET state = 'running', place = $2, response_id = $3, status = $4, request = $5,
         poll_at = now() + interval '1 second'
       WHERE request_id = $1 AND state = 'starting'`,
      [request_id, place, response_id, status, JSON.stringify(request)],
    );
    if (changed > 0) return true;
    // Told once more: its first answer was lost.
    return hasRows(
      database,
      `SELECT FROM billing.background_job
       WHERE request_id = $1 AND state = 'running' AND place = $2 AND response_id = $3`,
      [request_id, place, response_id],
    );
  }

  /** Forgets a request that was refused, or answered at once. Of a job that runs, nobody has the answer: it costs nothing. */
  async drop(requestId: string): Promise<void> {
    const { database } = this.parts;
    await database.query(`DELETE FROM billing.background_job WHERE request_id = $1 AND state = 'starting'`, [
      requestId,
    ]);
    const ended = await countChanged(
      database,
      `UPDATE billing.background_job SET state = 'ended', status = 'refused', ended_at = now()
       WHERE request_id = $1 AND state = 'running'`,
      [requestId],
    );
    if (ended > 0) await this.release(requestId);
  }

  /** Due jobs, which nobody else is given for a while. */
  async lease(max: number): Promise<LeasedJob[]> {
    // Gateways ask every two seconds, and mostly there is nothing.
    if (!(await hasRows(this.parts.database, `SELECT FROM billing.background_job WHERE ${DUE} LIMIT 1`)))
      return [];
    const rows = await readRows(
      this.parts.database,
      leasedRow,
      `UPDATE billing.background_job SET leased_until = now() + $2 * interval '1 second'
       WHERE request_id IN (
         SELECT request_id FROM billing.background_job
         WHERE ${DUE}
         ORDER BY poll_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING request_id, place, response_id, request,
         greatest(0, extract(epoch FROM now() - created_at) * 1000)::bigint::text AS age_ms`,
      [max, LEASE_S],
    );
    return rows.map(({ age_ms, ...job }) => ({ ...job, age_ms: Number(age_ms) }));
  }

  /** @param status null where the upstream did not say. */
  async polled(requestId: string, status: string | null): Promise<void> {
    const { database } = this.parts;
    await database.query(
      `UPDATE billing.background_job SET status = coalesce($2, status), polls = polls + 1, leased_until = '-infinity',
         poll_at = now() + least($3, 1.5 ^ least(polls, 20)) * interval '1 second'
       WHERE request_id = $1 AND state = 'running'`,
      [requestId, status, POLL_MAX_S],
    );
  }

  /**
   * Posts what it used, and ends it. Repeatable.
   *
   * @returns whether it was this call that ended it: of those that tell the same end, one counts it.
   * @throws while the books cannot take it: the job stays open.
   */
  async end({ request_id, status, events }: BackgroundEnd): Promise<boolean> {
    const { database, books } = this.parts;
    const isOpen = await hasRows(
      database,
      `SELECT FROM billing.background_job WHERE request_id = $1 AND state = 'running'`,
      [request_id],
    );
    if (!isOpen) return false;
    const isBilled = events.some((event) => event.request_id === request_id);
    if (events.length > 0) await books.post({ events });
    const ended = await countChanged(
      database,
      `UPDATE billing.background_job SET state = 'ended', status = $2, is_billed = $3, ended_at = now()
       WHERE request_id = $1 AND state = 'running'`,
      [request_id, status, isBilled],
    );
    if (!isBilled) await this.release(request_id);
    return ended > 0;
  }

  /** Looks up a job of an account, and makes it due where it is over. */
  async find({ account_id, place, response_id, is_due }: BackgroundFind): Promise<FoundJob | null> {
    const { database } = this.parts;
    const of = [account_id, place, response_id];
    const where = 'account_id = $1 AND place = $2 AND response_id = $3';
    if (is_due)
      await database.query(
        `UPDATE billing.background_job SET poll_at = least(poll_at, now()) WHERE ${where} AND state = 'running'`,
        of,
      );
    const found = await readRow(
      database,
      foundRow,
      `SELECT request_id, request->>'model' AS model, request->>'upstream_model' AS upstream_model, state = 'ended' AS is_ended
       FROM billing.background_job WHERE ${where}`,
      of,
    );
    return found ?? null;
  }

  /** What is still held when Redis is away is released by the next sweep. */
  private async release(requestId: string): Promise<void> {
    await this.parts.credit.release([requestId]).catch(() => {});
  }
}

const openJobsRow = z.object({ of_account: column.int, of_key: column.int });

const leasedRow = z.object({
  request_id: column.text,
  place: column.text,
  response_id: column.text,
  request: backgroundRequestSchema,
  age_ms: column.bigint,
});

const foundRow = z.object({
  request_id: column.text,
  model: column.text,
  upstream_model: column.text,
  is_ended: column.boolean,
});

const jobStateRow = z.object({
  request_id: column.text,
  state: z.enum(['starting', 'running', 'ended']),
  is_billed: column.boolean,
});

/** What of these requests are jobs, for whoever takes holds back. */
export async function findJobStates(
  database: DataSource,
  requestIds: readonly string[],
): Promise<Map<string, z.infer<typeof jobStateRow>>> {
  if (requestIds.length === 0) return new Map();
  const rows = await readRows(
    database,
    jobStateRow,
    'SELECT request_id, state, is_billed FROM billing.background_job WHERE request_id = ANY($1)',
    [requestIds],
  );
  return new Map(rows.map((row) => [row.request_id, row]));
}

const requestIdRow = z.object({ request_id: column.text });

/**
 * Gives up jobs of which no upstream's name came: their gateway was killed between the request and its answer. Nobody has the
 * id of such an answer, so that nobody can fetch it, and nobody is charged for it.
 *
 * @returns those that were still starting.
 */
export async function giveUpStarting(
  database: DataSource,
  requestIds: readonly string[],
): Promise<Set<string>> {
  if (requestIds.length === 0) return new Set();
  const rows = await readRows(
    database,
    requestIdRow,
    `UPDATE billing.background_job SET state = 'ended', status = 'never_started', ended_at = now()
     WHERE request_id = ANY($1) AND state = 'starting' RETURNING request_id`,
    [requestIds],
  );
  return new Set(rows.map(({ request_id }) => request_id));
}

/** The same for those that hold nothing, by their age: no upstream takes so long to take a job. */
export const giveUpOld = (database: DataSource): Promise<number> =>
  countChanged(
    database,
    `UPDATE billing.background_job SET state = 'ended', status = 'never_started', ended_at = now()
     WHERE state = 'starting' AND created_at < now() - interval '1 hour'`,
  );

/** Vendors keep answers for a month; nobody asks for one later. */
export const forgetEnded = (database: DataSource): Promise<number> =>
  countChanged(
    database,
    `DELETE FROM billing.background_job WHERE state = 'ended' AND ended_at < now() - interval '31 days'`,
  );

const heldRow = z.object({
  request_id: column.text,
  account_id: column.uuid,
  key_id: column.uuid,
  hold_micro: column.bigint,
  hold_scopes: z.array(creditScopeSchema),
});

/** What running jobs hold. */
export async function listJobHolds(database: DataSource): Promise<CreditHold[]> {
  const rows = await readRows(
    database,
    heldRow,
    `SELECT request_id, account_id, key_id, hold_micro, hold_scopes FROM billing.background_job
     WHERE state = 'running' AND hold_micro IS NOT NULL`,
  );
  return rows.map(({ request_id, account_id, key_id, hold_micro, hold_scopes }) => ({
    requestId: request_id,
    accountId: account_id,
    keyId: key_id,
    amount: Number(hold_micro),
    scopes: hold_scopes satisfies CreditScope[],
  }));
}
