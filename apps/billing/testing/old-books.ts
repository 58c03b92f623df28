import { AccountEntity } from '../src/accounts/account.entity.ts';
import { uuidv7 } from '../src/accounts/uuid.ts';
import { openPeriod } from '../src/periods/calendar.ts';
import { closePeriod } from '../src/periods/close-period.ts';
import { verifyChain } from '../src/periods/verify-chain.ts';
import { detachPartition } from '../src/usage/detach-partition.ts';
import { beginDrop, runDrop } from '../src/usage/drop-partition.ts';
import { addMonths, createPartitions, type Month, toMonth } from '../src/usage/partitions.ts';
import { postBatch } from '../src/usage/post-batch.ts';
import { type RunningBilling, startBillingOn } from './billing-service.ts';
import { postingThatCosts } from './bookkeeping.ts';
import { completeAudit } from './complete-audit.ts';
import { signIn } from './people.ts';
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts';
import type { EventFields } from './usage-events.ts';

const now = new Date();
/** The month that is taken out and dropped, and the one behind it. */
export const OLD = addMonths(toMonth(now), -6);
export const NEXT = addMonths(OLD, 1);

export const at = (month: Month, day = '15', time = '12:00'): string => `${month}-${day}T${time}:00.000Z`;

type Usage = EventFields & { readonly cost: number; readonly upstreamPico?: number | undefined };
const by = { actor: 'owner@billing.example', reason: 'retention' };

/** Books with two accounts, of which the second has a clock that is half an hour off, and a log that has both months. */
export class OldBooks {
  readonly environment: TestEnvironment;
  readonly accounts: readonly [string, string];

  private constructor(environment: TestEnvironment, second: string) {
    this.environment = environment;
    this.accounts = [environment.first.accountId, second];
  }

  static async start(): Promise<OldBooks> {
    const environment = await startTestEnvironment();
    const { database } = environment;
    const id = uuidv7();
    await database
      .getRepository(AccountEntity)
      .insert({ id, name: 'Other', status: 'active', timeZone: 'Asia/Kolkata' });
    await database.query('UPDATE billing.account SET created_at = $1', [at(addMonths(OLD, -1), '01')]);
    for (const month of [OLD, NEXT])
      await database.transaction((manager) => createPartitions(manager, new Date(at(month))));
    return new OldBooks(environment, id);
  }

  query<T>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.environment.database.query(sql, values);
  }

  post(...usage: readonly Usage[]) {
    const postings = usage.map(({ cost, upstreamPico, ...of }) =>
      postingThatCosts(cost, { account_id: this.accounts[0], ...of }, upstreamPico),
    );
    return postBatch(this.environment.database, postings, []);
  }

  /** Also the month in which the last requests of the month are by a clock of the east. */
  async closeBooks(): Promise<void> {
    const { database } = this.environment;
    for (const accountId of this.accounts)
      for (;;) {
        const open = await openPeriod(database.manager, accountId);
        if (!open || open.month > NEXT) break;
        await closePeriod(database, accountId, open.month, by);
      }
  }

  detach = () => detachPartition(this.environment.database, OLD, { ...by, now });

  /** Everything that is to be done before the month may be dropped. */
  async takeOut(): Promise<void> {
    await this.closeBooks();
    await this.detach();
    expect(await this.findWrong()).toEqual([]);
  }

  begin = () => beginDrop(this.environment.database, OLD, by);

  /** Two requests of it are dropped, and one of the next month stays. */
  async dropTwo(): Promise<void> {
    await this.post(
      { cost: 7, upstreamPico: 3, occurred_at: at(OLD, '15') },
      { cost: 11, occurred_at: at(OLD, '16') },
      { cost: 13, occurred_at: at(NEXT, '01') },
    );
    await this.takeOut();
    await this.begin();
    await runDrop(this.environment.database, OLD);
  }

  /** What a complete audit from the start and verifications of all closed months find. */
  async findWrong(): Promise<string[]> {
    const { database } = this.environment;
    const { differences } = await completeAudit(database);
    const chains = await Promise.all(this.accounts.map((id) => verifyChain(database, id)));
    return [
      ...differences.map(({ check }) => check),
      ...chains.flatMap(({ first_difference }) => first_difference?.what ?? []),
    ];
  }
}

export interface ServedBooks {
  readonly books: OldBooks;
  readonly billing: RunningBilling;
  /** Of the owner's session. */
  readonly cookie: string;
  readonly stop: () => Promise<void>;
}

/** Such books with a billing that runs on them. */
export async function serveOldBooks(): Promise<ServedBooks> {
  const books = await OldBooks.start();
  const billing = await startBillingOn(books.environment);
  const cookie = await signIn(billing.url, books.environment.first.email);
  return {
    books,
    billing,
    cookie,
    async stop() {
      await billing.stop();
      await books.environment.stop();
    },
  };
}
