import { Inject, Injectable } from '@nestjs/common';
import { accountScope } from '@tollgate/contracts';
import type { CreditHold, ResilientLimiter } from '@tollgate/limits';
import { formatUsd, PICO_PER_MICRO_USD } from '@tollgate/money';
import { column, httpError, readRow } from '@tollgate/platform';
import { z } from 'zod';
import { uuidv7 } from '../accounts/uuid.ts';
import type { Credit } from '../credit/credit.ts';
import { CREDIT, LIMITER } from '../provided.ts';
import type { TransactionKind } from '@tollgate/vocabulary';
import type { Reader } from './transactions.ts';

const creditLimitRow = z.object({ mode: column.text, credit_limit_pico: column.bigint.nullable() });

/**
 * What is taken from a balance by hand is held in Redis first, as requests hold what they may cost: both see each other,
 * whoever comes first, so that nobody takes what a request under way may spend.
 */
@Injectable()
export class HeldCredit {
  constructor(
    @Inject(LIMITER) private readonly limiter: Pick<ResilientLimiter, 'admitOnCredit'>,
    @Inject(CREDIT) private readonly credit: Pick<Credit, 'load' | 'release'>,
  ) {}

  /**
   * Holds what an operation takes from an account. A payout never takes credit that was only lent; of the others, one that
   * makes a debt on purpose passes while no request is under way.
   *
   * @returns what to release after the transaction; undefined where nothing limits the account or nothing is held.
   * @throws HttpException 409 where requests hold it, 503 while nobody can say what they hold.
   */
  async take(
    reader: Reader,
    {
      kind,
      accountId,
      pico,
    }: { readonly kind: TransactionKind; readonly accountId: string; readonly pico: bigint },
  ): Promise<string | undefined> {
    const account = await readRow(
      reader,
      creditLimitRow,
      'SELECT mode, credit_limit_pico FROM billing.account WHERE id = $1',
      [accountId],
    );
    if (!account || (account.mode !== 'prepaid' && account.credit_limit_pico === null)) return undefined;
    const lent = kind === 'payout' ? BigInt(account.credit_limit_pico ?? 0) : 0n;
    const scope = accountScope(accountId);
    const hold: CreditHold = {
      requestId: `ledger_${uuidv7()}`,
      accountId,
      // A hold names a key; this one is of none.
      keyId: accountId,
      scopes: [scope],
      amount: Number((pico + lent + PICO_PER_MICRO_USD - 1n) / PICO_PER_MICRO_USD),
    };
    const asked = await this.#admit(hold);
    if (asked === 'taken') return hold.requestId;
    // Redis may not have the account, or not know yet what was booked a moment ago.
    await this.credit.load([scope]).catch(() => {
      throw unknown();
    });
    const state = await this.#admit(hold);
    if (state === 'taken') return hold.requestId;
    if (state.held === 0) return undefined;
    const free = BigInt(state.left - state.held) * PICO_PER_MICRO_USD - lent;
    const values = {
      held: formatUsd(BigInt(state.held) * PICO_PER_MICRO_USD),
      free: formatUsd(free > 0n ? free : 0n),
    };
    throw httpError(
      409,
      `Requests in flight hold ${values.held} USD of this account: at most ${values.free} USD can be taken from it now. ` +
        'Enter less, or try again once they have ended.',
      'amount_usd',
      'credit_held',
      values,
    );
  }

  /** Once what was booked is among what is left, or nothing was. The sweep does it where this fails. */
  async release(holdId: string | undefined): Promise<void> {
    if (holdId !== undefined) await this.credit.release([holdId]).catch(() => {});
  }

  async #admit(hold: CreditHold): Promise<'taken' | { readonly left: number; readonly held: number }> {
    const admission = await this.limiter.admitOnCredit([], hold);
    if (admission.admitted) return 'taken';
    if (!('credit' in admission) || admission.credit === 'unavailable') throw unknown();
    return admission.credit === 'insufficient' ? admission : { left: 0, held: 0 };
  }
}

const unknown = () =>
  httpError(
    503,
    'What requests under way hold of this account cannot be seen, for Redis does not answer. Nothing was entered; try again once it is back.',
    null,
    'holds_not_seen',
  );
