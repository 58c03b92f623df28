// A stack of its own whose books are right, and then are not: a row is changed behind the services, as no restore may.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { runCli } from '@tollgate/cli';
import pg from 'pg';
import { Readable } from 'node:stream';
import { call, GOOD } from '../call.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

const home = mkdtempSync(join(tmpdir(), 'tollgate-verify-'));
let stack: RunningStack;
let database: pg.Client;
beforeAll(async () => {
  stack = await startTestStack({ home, port: await freePort() });
  database = new pg.Client(stack.databaseUrl);
  await database.connect();
}, 90_000);
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function verify(...more: string[]) {
  const out: string[] = [];
  const exit = await runCli(['verify', ...more], {
    env: {
      TOLLGATE_URL: stack.baseUrl,
      TOLLGATE_EMAIL: testAdmin.email,
      TOLLGATE_PASSWORD: testAdmin.password,
    },
    stdin: Readable.from([]),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => out.push(text) },
  });
  return { exit, out: out.join('') };
}

test('books that are right are called right, and one entry that differs is found', async () => {
  const headers = { authorization: `Bearer ${stack.apiKey}` };
  await call(`${stack.baseUrl}${GOOD.chat.path}`, { headers, body: GOOD.chat.body });
  await waitFor(async () => (await database.query('SELECT 1 FROM billing.usage')).rowCount, 'the posting');
  const right = await verify();
  expect([right.exit, right.out]).toEqual([0, expect.stringContaining('The books are right.')]);

  await database.query('ALTER TABLE billing.ledger_entry DISABLE TRIGGER ALL');
  await database.query(
    'UPDATE billing.ledger_entry SET amount_pico = amount_pico + 1 WHERE ctid = (SELECT min(ctid) FROM billing.ledger_entry)',
  );
  const wrong = await verify();
  expect([wrong.exit, wrong.out]).toEqual([1, expect.stringMatching(/[1-9]\d* differences[^]*not right/)]);
  expect(JSON.parse((await verify('--json')).out)).toMatchObject({ verified: false });
}, 60_000);
