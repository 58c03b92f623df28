import {
  accountScope,
  type CreditScope,
  creditRedisKey,
  gatewayRedisKey,
  keyScope,
} from '@tollgate/contracts';
import { type CreditAdmission, createRedisLimiter } from '@tollgate/limits';
import type { ApiKeyEntity } from '../src/keys/api-key.entity.ts';
import { grantEntries } from '../src/ledger/entries.ts';
import { withJournal } from '../src/ledger/journal.ts';
import { type Posting, computePosting } from '../src/usage/posting.ts';
import type { TestEnvironment } from './test-environment.ts';
import { addKey } from './keys.ts';
import { addPerson } from './people.ts';
import { snapshotWith, usageEvent } from './usage-events.ts';

/** An account that spends, with the names of what it spends from. */
interface Spender {
  readonly accountId: string;
  readonly keyId: string;
  readonly account: CreditScope;
  readonly total: CreditScope;
}

/** What tests of credit do to the books and to Redis. */
export interface CreditEnvironment {
  /** An account with its mode, its limit in USD, and a key of it. */
  openAccount(
    terms?: { mode?: 'prepaid' | 'postpaid'; limit?: number | null; zone?: string },
    of?: Partial<ApiKeyEntity>,
  ): Promise<Spender>;
  grant(accountId: string, pico: bigint): Promise<unknown>;
  /** What Redis has of a scope: left and held. */
  fields(scope: CreditScope): Promise<number[] | null>;
  /** A gateway with a name of its own holds so many micro-USD. */
  holdFor(
    requestId: string,
    of: Spender,
    scopes: readonly CreditScope[],
    amount: number,
  ): Promise<CreditAdmission>;
}

/** A posting that costs so many pico-USD. */
export function costing(pico: number, of: Parameters<typeof usageEvent>[0]): Posting {
  const result = computePosting(
    usageEvent({ ...of, tokens: { input: pico } }),
    snapshotWith({ input: 1 }, '1'),
  );
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

let people = 0;

export function createCreditEnvironment(environment: TestEnvironment): CreditEnvironment {
  const openAccount: CreditEnvironment['openAccount'] = async (terms = {}, of = {}) => {
    const { account_id: accountId } = await addPerson(
      environment,
      `p${(people += 1)}@credit.example`,
      'member',
    );
    await environment.database.query(
      'UPDATE billing.account SET mode = $2, credit_limit_pico = $3, time_zone = $4 WHERE id = $1',
      [
        accountId,
        terms.mode ?? 'prepaid',
        terms.limit ? terms.limit * 1e12 : (terms.limit ?? null),
        terms.zone ?? 'UTC',
      ],
    );
    const { id: keyId } = await addKey(environment.database, { accountId, ...of });
    return { accountId, keyId, account: accountScope(accountId), total: keyScope(keyId, 'total', '') };
  };

  const grant: CreditEnvironment['grant'] = (accountId, pico) =>
    withJournal(environment.database, ({ append }) =>
      append([
        {
          kind: 'grant',
          accountId,
          occurredAt: new Date().toISOString(),
          entries: grantEntries(accountId, pico),
          idempotencyKey: `grant ${Math.random()}`,
          actor: 'owner@credit.example',
          reason: 'a test',
        },
      ]),
    );

  const fields: CreditEnvironment['fields'] = async (scope) => {
    const { left, held } = await environment.redis.hgetall(creditRedisKey(scope));
    return left === undefined ? null : [Number(left), Number(held)];
  };

  const holdFor: CreditEnvironment['holdFor'] = async (requestId, { accountId, keyId }, scopes, amount) => {
    const gateway = `of ${requestId}`;
    const admission = await createRedisLimiter(environment.redis, { gateway }).admitOnCredit([], {
      requestId,
      accountId,
      keyId,
      scopes,
      amount,
    });
    // Nobody gives its sign of life again: it lives until a test says that it died.
    await environment.redis.persist(gatewayRedisKey(gateway));
    return admission;
  };
  return { openAccount, grant, fields, holdFor };
}
