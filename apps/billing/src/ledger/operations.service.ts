import type { LedgerOperation } from '@tollgate/api';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { canonicalJson } from '@tollgate/catalogue';
import type { Session } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { httpError } from '@tollgate/platform';
import { audit } from '../audit-log/audit.ts';
import type { CreditChanges } from '../credit/credit-changes.ts';
import { CREDIT, JOURNAL } from '../provided.ts';
import { HeldCredit } from './held-credit.ts';
import { customer } from './ledger-accounts.ts';
import { type Transactions, withJournal } from './journal.ts';
import { planOperation } from './plan-operation.ts';
import { appendOne, type BookedTransaction, readTransaction } from './transactions.ts';

/** Enters in the ledger what people do: once for every idempotency key, with who and why. */
@Injectable()
export class OperationsService {
  constructor(
    @Inject(JOURNAL) private readonly database: Transactions,
    @Inject(CREDIT) private readonly credit: CreditChanges,
    @Inject(HeldCredit) private readonly held: Pick<HeldCredit, 'take' | 'release'>,
  ) {}

  /**
   * Answers the transaction; `repeated` when the same was asked with this key before.
   *
   * @throws HttpException 409 when the key was used for something else, and what {@link planOperation} and {@link HeldCredit.take} throw.
   */
  async post(
    person: Pick<Session, 'email'>,
    idempotencyKey: string,
    operation: LedgerOperation,
  ): Promise<{ transaction: BookedTransaction; repeated: boolean }> {
    const askedDigest = createHash('sha256').update(canonicalJson(operation)).digest('hex');
    let holdId: string | undefined;
    const posting = withJournal(this.database, async (journal) => {
      const earlier = await readTransaction(journal.manager, { idempotencyKey });
      if (earlier) return { transaction: sameAsked(earlier, askedDigest), repeated: true };
      const planned = await planOperation(journal.manager, operation);
      const given = planned.entries.find(
        ({ ledgerAccount }) => ledgerAccount === customer(planned.accountId),
      );
      const { accountId } = planned;
      if (given && given.amountPico < 0n)
        holdId = await this.held.take(journal.manager, {
          kind: operation.kind,
          accountId,
          pico: -given.amountPico,
        });
      const transaction = await appendOne(journal, {
        ...planned,
        kind: operation.kind,
        occurredAt: journal.takenAt,
        idempotencyKey,
        askedDigest,
        actor: person.email,
        reason: operation.reason,
      });
      await audit(journal.manager, {
        action: `ledger.${operation.kind}`,
        object: `transaction ${transaction.number}`,
        accountId: planned.accountId,
        reason: operation.reason,
        actor: { email: person.email },
        after: {
          amount_usd: formatUsd(given?.amountPico ?? 0n),
          ...(planned.corrects === undefined ? {} : { corrects: planned.corrects }),
        },
      });
      return { transaction, repeated: false };
    });
    const posted = await posting.finally(() => this.held.release(holdId));
    if (!posted.repeated) this.credit.changed([posted.transaction.accountId]);
    return posted;
  }
}

function sameAsked(earlier: BookedTransaction, askedDigest: string): BookedTransaction {
  if (earlier.askedDigest === askedDigest) return earlier;
  throw httpError(
    409,
    `This Idempotency-Key was used for something else, transaction ${earlier.number}. Take a new one.`,
    'idempotency-key',
    'idempotency_key_used',
  );
}
