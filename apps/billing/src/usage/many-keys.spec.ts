import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import type { Transactions } from '../ledger/journal.ts';
import { postBatch } from './post-batch.ts';
import { computePosting } from './posting.ts';

const KEYS = 300;

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

interface Updates {
  readonly table: string;
  readonly rows: number;
  /** Rows whose next version stands in their page, so that no index was written for them. */
  readonly in_place: number;
}

/** Posts in a transaction that tells at its end what it and those just before it have updated. */
async function postCounted(postings: Parameters<typeof postBatch>[1]): Promise<Updates[]> {
  let updates: Updates[] = [];
  const counted: Transactions = {
    transaction: (work) =>
      environment.database.transaction(async (manager) => {
        const result = await work(manager);
        updates = await manager.query(
          `SELECT relname AS table, n_tup_upd::int AS rows, n_tup_hot_upd::int AS in_place FROM pg_stat_xact_user_tables
           WHERE relname IN ('account_balance', 'api_key', 'key_spend') ORDER BY 1`,
        );
        return result;
      }),
  };
  await postBatch(counted, postings, []);
  return updates;
}

test('a batch of many keys hardly writes their indices again', async () => {
  const { database, first } = environment;
  const keys = await database.query<{ id: string }[]>(
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name)
     SELECT gen_random_uuid(), $1, 'many', encode(sha256(n::text::bytea), 'hex'), 'sk-…', 'default'
     FROM generate_series(1, $2::int) n RETURNING id`,
    [first.accountId, KEYS],
  );
  const snapshot = snapshotWith({ input: 7, output: 11 }, '1');
  const makePostings = () =>
    keys.map(({ id }) => {
      const event = usageEvent({ account_id: first.accountId, key_id: id, tokens: { input: 1 } });
      const posting = computePosting(event, snapshot);
      if (!posting.ok) throw new Error(posting.reason);
      return posting.value;
    });
  // A row's first update: whether there is room for further ones depends on who else reads in this server.
  const [key] = (await postCounted(makePostings())).filter(({ table }) => table === 'api_key');
  expectInPlace(key, KEYS);
  const [balance, , spend] = await postCounted(makePostings());
  expectInPlace(balance, 1);
  expectInPlace(spend, 2 * KEYS);
});

function expectInPlace(updates: Updates | undefined, rows: number): void {
  expect(updates?.rows).toBe(rows);
  expect(updates?.in_place).toBeGreaterThan(0.9 * rows);
}
