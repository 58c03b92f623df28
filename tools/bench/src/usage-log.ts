// `npm run bench -- usage-log [rows]`: pages of the usage log and the sums of the home page, asked of a billing over HTTP,
// where one account has all rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerOf, usage } from '@tollgate/api';
import { createDatabase, startPostgres, startRedis } from '@tollgate/harness';
import { listSyntheticStatements, syntheticSpan } from './synthetic-ledger.ts';
import { connected, foundBooks, type OwnBilling, startOwnBilling } from './own-billing.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 20;
const say = (text: string) => process.stderr.write(`${text}\n`);

const key = (n: number) => `0198f1c2-7d1e-7000-8000-${String(n).padStart(12, '0')}`;
const { from, to } = syntheticSpan(ROWS);
const middle = new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();

/** Every key has only one model, so that a key and another model have nothing in common. */
const FILTERS: Readonly<Record<string, string>> = {
  'the newest': '',
  'one key': `key_id=${key(7)}`,
  'one model': 'model=model-7',
  'a key and its model': `key_id=${key(7)}&model=model-7`,
  'a key and a model it never used': `key_id=${key(7)}&model=model-8`,
  'a model that nobody used': 'model=model-none',
  'the older half': `to=${middle}`,
  'the older half, a key and a model it never used': `to=${middle}&key_id=${key(7)}&model=model-8`,
  'a span without requests': 'from=2001-01-01T00:00:00Z&to=2002-01-01T00:00:00Z',
  'one request': 'request_id=req_c4ca4238a0b923820dcc509a6f75849b',
};

async function timesOf({ url, cookie }: OwnBilling, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const answer = await fetch(`${url}${path}`, { headers: { cookie } });
    await answer.arrayBuffer();
    times.push(performance.now() - started);
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  }
  return times.sort((a, b) => a - b);
}

async function deepPage({ url, cookie }: OwnBilling): Promise<string> {
  const answer = await fetch(`${url}/api/usage?limit=50&to=${middle}`, { headers: { cookie } });
  const { next } = (await answer.json()) as AnswerOf<typeof usage.listUsage>;
  if (next === null) throw new Error('the log ends before its middle: make more rows of it');
  return `/api/usage?limit=50&cursor=${encodeURIComponent(next)}`;
}

async function measure(billing: OwnBilling): Promise<[string, number[]][]> {
  const pages = Object.entries(FILTERS).map(([what, query]) => [what, `/api/usage?limit=50&${query}`]);
  const paths = [
    ...pages,
    ['a page in the middle of the log', await deepPage(billing)],
    ['sums of all days, by model', `/api/usage/summary?from=${from}&to=${to}&bucket=day&by=model`],
    ['sums of all days, by key', `/api/usage/summary?from=${from}&to=${to}&bucket=day&by=key`],
  ] as [string, string][];
  const measured: [string, number[]][] = [];
  for (const [what, path] of paths) measured.push([what, await timesOf(billing, path)]);
  return measured;
}

const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const postgres = await startPostgres({
  directory: join(directory, 'data'),
  password: 'bench',
  durable: false,
});
const redis = await startRedis();
let billing: OwnBilling | undefined;
try {
  const databaseUrl = await createDatabase(postgres.url, 'bench');
  await foundBooks(databaseUrl);
  say(`Making up ${ROWS.toLocaleString('en')} requests`);
  await connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM billing.account');
    for (const statement of listSyntheticStatements(ROWS, rows[0]?.id)) await client.query(statement);
  });
  billing = await startOwnBilling(directory, { DATABASE_URL: databaseUrl, REDIS_URL: redis.url });
  const measured = await measure(billing);
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), ${ROWS} requests of one account\n`,
  );
  console.log('asked for | median ms | slowest of 20 ms\n--- | --: | --:');
  for (const [what, times] of measured)
    console.log(`${what} | ${times[ROUNDS / 2]?.toFixed(1)} | ${times.at(-1)?.toFixed(1)}`);
} finally {
  await billing?.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
