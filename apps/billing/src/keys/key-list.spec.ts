import { explaining, rowsRead } from '../../testing/plans.ts';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { findKeyPage } from './key-list.ts';

const KEYS = 20_000;
const LIMIT = 20;

let environment: TestEnvironment;
let accountId: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  const { database, first } = environment;
  accountId = first.accountId;
  await database.query(
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name, created_at)
     SELECT gen_random_uuid(), $1, 'Key number ' || n, encode(sha256(n::text::bytea), 'hex'), 'sk-…', 'default',
       now() - n * interval '1 minute'
     FROM generate_series(1, $2) AS n`,
    [accountId, KEYS],
  );
  await database.query('ANALYZE billing.api_key');
});
afterAll(() => environment.stop());

test.each(['-created', 'name', '-name'] as const)(
  'a page of many keys in the order of %s reads little more than the page',
  async (sort) => {
    const { database, scans } = explaining(environment.database);
    const filter = {
      accountId,
      ownerId: undefined,
      sort,
      limit: LIMIT,
      offset: LIMIT,
      count: 'false' as const,
    };
    const { ids } = await findKeyPage(database, filter);
    expect(ids).toHaveLength(LIMIT);
    expect(rowsRead(scans())).toBeLessThan(4 * LIMIT);
  },
);
