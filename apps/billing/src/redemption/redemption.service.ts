import { Inject, Injectable } from '@nestjs/common';
import type { redemption, RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { formatUsd, parseUsd } from '@tollgate/money';
import { column, countChanged, hasRows, httpError, readRow } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import { audit } from '../audit-log/audit.ts';
import type { CreditChanges } from '../credit/credit-changes.ts';
import { grantEntries } from '../ledger/entries.ts';
import { type Journal, withJournal } from '../ledger/journal.ts';
import { appendOne, type BookedTransaction } from '../ledger/transactions.ts';
import { CREDIT, JOURNAL } from '../provided.ts';
import { hashCode, newRedemptionCode, normaliseCode } from './redemption-code.ts';

type NewBatch = RequestOf<typeof redemption.createRedemptionBatch>['body'];
type Revocation = RequestOf<typeof redemption.revokeRedemptionCodes>['body'];

const codeRow = z.object({
  id: column.uuid,
  batch_id: column.uuid,
  amount_pico: column.bigint,
  ending: column.text,
  expires_at: column.timestamp.nullable(),
  revoked_at: column.timestamp.nullable(),
  redeemed_at: column.timestamp.nullable(),
});
type CodeRow = z.infer<typeof codeRow>;

/** Makes codes that give credit, takes them back, and redeems them. */
@Injectable()
export class RedemptionService {
  constructor(
    @Inject(JOURNAL) private readonly database: DataSource,
    @Inject(CREDIT) private readonly credit: CreditChanges,
  ) {}

  /**
   * The only answer that ever holds the codes.
   *
   * @throws HttpException 409 when the idempotency key has made a batch already: its codes cannot be shown again.
   */
  async create(
    person: Session,
    idempotencyKey: string,
    batch: NewBatch,
  ): Promise<{ id: string; codes: string[] }> {
    const id = uuidv7();
    const codes = Array.from({ length: batch.count }, newRedemptionCode);
    await this.database.transaction(async (manager) => {
      const isNew = await hasRows(
        manager,
        `INSERT INTO billing.redemption_batch (id, amount_pico, expires_at, note, idempotency_key, created_by)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
        [
          id,
          parseUsd(batch.amount_usd).toString(),
          batch.expires_at,
          batch.note,
          idempotencyKey,
          person.email,
        ],
      );
      if (!isNew) throw await madeBefore(manager, idempotencyKey);
      await manager.query(
        `INSERT INTO billing.redemption_code (id, batch_id, code_hash, ending)
         SELECT id, $2, code_hash, ending FROM unnest($1::uuid[], $3::text[], $4::text[]) AS made (id, code_hash, ending)`,
        [
          codes.map(() => uuidv7()),
          id,
          codes.map((code) => hashCode(normaliseCode(code) ?? '')),
          codes.map((code) => code.slice(-4)),
        ],
      );
      await audit(manager, {
        action: 'redemption.create',
        object: `redemption batch ${id}`,
        actor: { email: person.email },
        after: {
          count: batch.count,
          amount_usd: batch.amount_usd,
          expires_at: batch.expires_at,
          note: batch.note,
        },
      });
    });
    return { id, codes };
  }

  /**
   * Takes back one code of a batch, or all that are not redeemed; answers how many.
   *
   * @throws HttpException 404 when there is no such batch.
   */
  async revoke(person: Session, batchId: string, { code_id, reason }: Revocation): Promise<number> {
    const revoked = await this.database.transaction(async (manager) => {
      const rows = await countChanged(
        manager,
        `UPDATE billing.redemption_code SET revoked_at = now(), revoked_by = $2, revoked_why = $3
         WHERE batch_id = $1 AND ($4::uuid IS NULL OR id = $4) AND redeemed_at IS NULL AND revoked_at IS NULL`,
        [batchId, person.email, reason, code_id ?? null],
      );
      if (rows === 0) return 0;
      await audit(manager, {
        action: 'redemption.revoke',
        object: `redemption batch ${batchId}`,
        reason,
        actor: { email: person.email },
        after: { revoked: rows, ...(code_id === undefined ? {} : { code_id }) },
      });
      return rows;
    });
    if (revoked === 0) await this.#requireBatch(batchId);
    return revoked;
  }

  /**
   * Gives a code's credit to the person's account, once.
   *
   * @throws HttpException 404 for a code that is none, 409 for one that is not good any more.
   */
  async redeem(person: Session, typed: string): Promise<BookedTransaction> {
    const code = normaliseCode(typed);
    if (code === undefined) throw noSuchCode();
    const transaction = await withJournal(this.database, async (journal) => {
      const row = await findCode(journal, code);
      const booked = await appendOne(journal, {
        kind: 'redemption',
        accountId: person.account_id,
        occurredAt: journal.takenAt,
        entries: grantEntries(person.account_id, BigInt(row.amount_pico)),
        // With a blank, which no key that a caller chooses holds.
        idempotencyKey: `redemption ${row.id}`,
        actor: person.email,
        reason: `Redemption code ending in ${row.ending}`,
      });
      await journal.manager.query(
        'UPDATE billing.redemption_code SET redeemed_at = now(), redeemed_by = $2, number = $3 WHERE id = $1',
        [row.id, person.email, booked.number],
      );
      await audit(journal.manager, {
        action: 'redemption.redeem',
        object: `transaction ${booked.number}`,
        accountId: person.account_id,
        actor: { email: person.email },
        after: {
          code_id: row.id,
          batch_id: row.batch_id,
          ending: row.ending,
          amount_usd: formatUsd(BigInt(row.amount_pico)),
        },
      });
      return booked;
    });
    this.credit.changed([person.account_id]);
    return transaction;
  }

  async #requireBatch(id: string): Promise<void> {
    if (!(await hasRows(this.database, 'SELECT 1 FROM billing.redemption_batch WHERE id = $1', [id])))
      throw httpError(404, 'There is no such batch.', 'id', 'not_found');
  }
}

async function findCode({ manager, takenAt }: Journal, code: string): Promise<CodeRow> {
  const row = await readRow(
    manager,
    codeRow,
    `SELECT c.*, b.amount_pico, b.expires_at
     FROM billing.redemption_code c JOIN billing.redemption_batch b ON b.id = c.batch_id
     WHERE c.code_hash = $1 FOR UPDATE OF c`,
    [hashCode(code)],
  );
  if (!row) throw noSuchCode();
  if (row.redeemed_at) throw httpError(409, 'This code was redeemed already.', 'code', 'code_redeemed');
  if (row.revoked_at) throw httpError(409, 'This code is not valid any more.', 'code', 'code_revoked');
  if (row.expires_at && row.expires_at <= new Date(takenAt)) {
    const day = row.expires_at.toISOString().slice(0, 10);
    throw httpError(409, `This code has expired on ${day}.`, 'code', 'code_expired', { day });
  }
  return row;
}

const noSuchCode = () =>
  httpError(404, 'There is no such code. Check it for typing errors.', 'code', 'no_such_code');

const batchRow = z.object({ id: column.uuid });

async function madeBefore(manager: EntityManager, idempotencyKey: string): Promise<Error> {
  const made = await readRow(
    manager,
    batchRow,
    'SELECT id FROM billing.redemption_batch WHERE idempotency_key = $1',
    [idempotencyKey],
  );
  return httpError(
    409,
    `This Idempotency-Key has made the batch ${made?.id} already. Codes are shown once: revoke it and make another.`,
    'idempotency-key',
    'codes_made_already',
  );
}
