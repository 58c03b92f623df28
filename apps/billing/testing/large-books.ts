import { createDataSource } from '../src/database/data-source.ts';
import { SERVED_SUMS, servedHours } from '../src/usage/served-hours.ts';
import { rebuildAccountHours, rebuildHours } from '../src/usage/usage-hours.ts';
import { addMonths, type Month, toMonth } from '../src/usage/partitions.ts';
import { ACCOUNTS, fillLedger, fillUsage, toAccountId } from './many-usage-rows.ts';
import { believeInMoreRows, type Explainer, startExplaining } from './plans.ts';
import {
  migrateAndSeed,
  type Prepare,
  startTestEnvironment,
  type TestEnvironment,
} from './test-environment.ts';

const NOW = new Date();
/** The first two are over. */
const MONTHS = 3;
export const ROWS_A_MONTH = 8_000;
/** The last number of the journal. */
export const LAST = MONTHS * ROWS_A_MONTH;
/** Each of the twenty accounts has as many requests. */
export const OWN_A_MONTH = ROWS_A_MONTH / ACCOUNTS;
/** So many the planner counts. */
export const BELIEVED_ROWS = 100_000_000;

export interface LargeBooks {
  readonly environment: TestEnvironment;
  readonly explainer: Explainer;
  /** Oldest first. */
  readonly months: readonly Month[];
  /** One of the twenty accounts. */
  readonly accountId: string;
  stop(): Promise<void>;
}

/**
 * Books in which all is right, a transaction for each request, as releases before wrote them: what reads these reads the most.
 * The planner believes that there are a hundred million.
 */
const fillLargeBooks: Prepare = async (url) => {
  const database = await createDataSource(url).initialize();
  const months = await fillUsage(database, { now: NOW, months: MONTHS, rowsPerMonth: ROWS_A_MONTH });
  await database.query(
    `INSERT INTO billing.account (id, name, created_at)
     SELECT DISTINCT account_id, 'Account ' || account_id, $1::timestamptz FROM billing.usage`,
    [`${months[0]}-01T00:00:00Z`],
  );
  await fillLedger(database);
  await database.transaction(async (manager) => {
    await rebuildHours(manager);
    await rebuildAccountHours(manager);
    for (const statement of [
      `INSERT INTO billing.served_hour (hour, upstream, model, outcome, ${SERVED_SUMS.join(', ')}) ${await servedHours(manager)}`,
      `INSERT INTO billing.account_balance (account_id, balance_pico, last_number)
       SELECT account_id, -sum(cost_pico), max(number) FROM billing.usage GROUP BY 1`,
      'INSERT INTO billing.audited_balance SELECT account_id, balance_pico FROM billing.account_balance',
      `UPDATE billing.journal SET last_number = ${LAST}`,
      `UPDATE billing.ledger_audit SET number = ${LAST}`,
    ])
      await manager.query(statement);
  });
  await database.query(
    'ANALYZE billing.usage_hour, billing.account_hour, billing.served_hour, billing.account',
  );
  await believeInMoreRows(database, BELIEVED_ROWS / LAST);
  await database.destroy();
};
fillLargeBooks.after = migrateAndSeed;

/** They are filled once in a process, and copied. */
export async function startLargeBooks(): Promise<LargeBooks> {
  const environment = await startTestEnvironment(fillLargeBooks);
  const explainer = await startExplaining(environment.databaseUrl);
  return {
    environment,
    explainer,
    months: Array.from({ length: MONTHS }, (_, index) => addMonths(toMonth(NOW), index + 1 - MONTHS)),
    accountId: toAccountId(7),
    async stop() {
      await explainer.stop();
      await environment.stop();
    },
  };
}
