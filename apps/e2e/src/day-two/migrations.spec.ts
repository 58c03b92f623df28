import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import pg from 'pg';
import { openBilledClient, type BilledClient } from '../faults/billed-client.ts';
import { admin, type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

// The schema is changed here: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-migrations-'));
let stack: RunningStack;
let at: Pick<TestStack, 'baseUrl' | 'cookie' | 'databaseUrl'>;
let database: pg.Client;

beforeAll(async () => {
  stack = await startTestStack({ home, port: await freePort() });
  at = { ...stack, cookie: await signIn(stack.baseUrl, testAdmin) };
  database = new pg.Client(stack.databaseUrl);
  await database.connect();
}, 120_000);

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** Asks and reads the books over the console's API until it is stopped; what was no success is answered. */
function useAll(client: BilledClient): { asked: () => number; stop(): Promise<string[]> } {
  const failed: string[] = [];
  let [stopped, asked] = [false, 0];
  const loop = async (act: () => Promise<unknown>) => {
    while (!stopped) await act().catch((error: Error) => failed.push(error.message));
  };
  const loops = [
    ...Array.from({ length: 3 }, () =>
      loop(async () => {
        const { status, text } = await client.ask();
        asked += 1;
        if (status !== 200) throw new Error(`${status}: ${text}`);
      }),
    ),
    loop(() => admin(at, 'GET', '/api/usage?limit=5')),
    loop(() => admin(at, 'GET', '/api/ledger/transactions?limit=5')),
  ];
  return {
    asked: () => asked,
    async stop() {
      stopped = true;
      await Promise.all(loops);
      return failed;
    },
  };
}

/** Columns and constraints as a next release would add them to the tables that everything goes through. */
const EXPANSION = [
  'ALTER TABLE billing.usage ADD probe text',
  `ALTER TABLE billing.usage ADD probe_kind text NOT NULL DEFAULT 'none'`,
  'ALTER TABLE billing.ledger_transaction ADD probe int',
  'ALTER TABLE billing.api_key ADD probe int',
  'ALTER TABLE billing.ledger_transaction ADD CONSTRAINT probe_is_small CHECK (probe < 9) NOT VALID',
  'ALTER TABLE billing.ledger_transaction VALIDATE CONSTRAINT probe_is_small',
  'CREATE INDEX CONCURRENTLY probe_of_transaction ON billing.ledger_transaction (probe)',
];

test('what migrations may do is done under the services of this release: nothing fails, and the books are exact', async () => {
  const client = await openBilledClient(at);
  const use = useAll(client);
  for (const statement of EXPANSION) {
    const before = use.asked();
    await database.query(statement);
    await waitFor(() => use.asked() > before + 5, 'more requests', 20_000);
  }
  expect(await use.stop()).toEqual([]);
  await client.settled();
}, 90_000);
