// `npm run bench -- months [rows]`: the statement of an open month, its sealing, its verification and a complete audit, asked of a
// billing over HTTP, where one account has so many requests in the month. Billing is killed in the middle of a verification, and
// started again.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf, ledger, periods } from '@tollgate/api';
import { createDatabase, startPostgres, startRedis } from '@tollgate/harness';
import { connected, foundBooks, type OwnBilling, startOwnBilling } from './own-billing.ts';

type Verification = AnswerOf<typeof periods.getVerification>;
type Audit = AnswerOf<typeof ledger.auditLedger>;

const ROWS = Number(process.argv[2] ?? 5_000_000);
const ROUNDS = 21;
const LOOK_MS = 100;
const AT_ONCE = 500_000;
const say = (text: string) => process.stderr.write(`${text}\n`);

const now = new Date();
const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
const month = start.toISOString().slice(0, 7);
const lasts = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - start.getTime();

/** A month of one account as posting writes it: a transaction for the requests of a quarter of an hour, and all sums. */
function listMonthStatements(account: string): string[] {
  const time = `timestamptz '${start.toISOString()}' + (n - 1) * interval '${lasts / ROWS} milliseconds'`;
  const parts = Array.from({ length: Math.ceil(ROWS / AT_ONCE) }, (_, part) => part * AT_ONCE);
  const quarter = `date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z')`;
  return [
    `SELECT billing.create_usage_partition('${month}-01') WHERE to_regclass('billing.usage_${month.replace('-', '_')}') IS NULL`,
    `UPDATE billing.account SET created_at = '${start.toISOString()}'`,
    'SET session_replication_role = replica',
    ...parts.map(
      (
        after,
      ) => `INSERT INTO billing.usage (request_id, number, occurred_at, booked_at, posted_at, account_id, key_id,
       group_name, model, vendor, pool, upstream, upstream_model, protocol, stream, snapshot_version, group_ratio,
       discount_ratio, tokens_input, tokens_output, cost_pico, upstream_cost_pico, usage_source, outcome, http_status,
       latency_ms, first_byte_ms)
     SELECT 'req_' || md5(n::text), n, ${time}, ${time}, ${time}, '${account}',
       ('0198f1c2-7d1e-7000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid, 'default', 'model-' || n % 20, 'vendor-' || n % 4,
       'main', 'upstream-' || n % 6, 'model-' || n % 20, 'openai-chat', n % 2 = 0, 1, '1', '1', (n * 7919) % 20000,
       1 + (n * 31) % 4000, 1000003 * (1 + (n * 7919) % 200000), 700001 * (1 + (n * 7919) % 200000), 'upstream',
       'completed', 200, 200 + (n * 13) % 9000, 50 + n % 900
     FROM generate_series(${after + 1}, ${Math.min(after + AT_ONCE, ROWS)}::bigint) AS n`,
    ),
    `INSERT INTO billing.ledger_transaction (number, numbers, kind, account_id, occurred_at, booked_at, posted_at, digest)
     SELECT max(number), count(*), 'usage', account_id, min(occurred_at), min(booked_at), max(posted_at),
       sha256(convert_to(string_agg(concat_ws(E'\\t', number, request_id, vendor, upstream, cost_pico, upstream_cost_pico) || E'\\n', ''
         ORDER BY number), 'UTF8'))
     FROM billing.usage GROUP BY account_id, ${quarter}`,
    `INSERT INTO billing.ledger_entry (number, ledger_account, amount_pico)
     SELECT max(max(number)) OVER (PARTITION BY ${quarter}), name, sum(amount) FROM billing.usage, LATERAL (VALUES
       ('customer:' || account_id, -cost_pico), ('revenue:' || vendor, cost_pico),
       ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)) AS e (name, amount)
     GROUP BY ${quarter}, name`,
    'VACUUM ANALYZE billing.usage',
    'VACUUM ANALYZE billing.ledger_transaction',
    'VACUUM ANALYZE billing.ledger_entry',
    ...parts.map(
      (after) => `SELECT billing.sum_transactions(${after + 1}, ${after + AT_ONCE}),
        billing.sum_usage(${after + 1}, ${after + AT_ONCE})`,
    ),
    `UPDATE billing.journal SET last_number = ${ROWS}`,
    'RESET session_replication_role',
  ];
}

async function ask<T>({ url, cookie }: OwnBilling, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function timeStatements(billing: OwnBilling): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await ask(billing, `/api/statements/${month}`);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}

/** Seconds until a month is sealed that is closed now. */
async function timeSealing(billing: OwnBilling, account: string): Promise<number> {
  const started = performance.now();
  await ask(billing, '/api/periods/close', { account_id: account, month, reason: 'Month-end' });
  for (;;) {
    const { items } = await ask<AnswerOf<typeof periods.listPeriods>>(billing, '/api/periods');
    if (items.length > 0) return (performance.now() - started) / 1_000;
    await sleep(LOOK_MS);
  }
}

const begin = (billing: OwnBilling) =>
  ask<Verification>(billing, '/api/periods/verify', { all: true, from_start: true });

async function follow(
  billing: OwnBilling,
  { id }: Verification,
  isEnough: (verification: Verification) => boolean,
): Promise<Verification> {
  for (;;) {
    const verification = await ask<Verification>(billing, `/api/verifications/${id}`);
    if (isEnough(verification)) return verification;
    await sleep(LOOK_MS);
  }
}
/** Seconds of each part of a complete audit, and what it found. */
async function timeAudit(billing: OwnBilling): Promise<{ found: number; parts: Record<string, number> }> {
  const parts: Record<string, number> = {};
  let audit = await ask<Audit>(billing, '/api/ledger/audits', { from_start: true });
  while (audit.ended_at === null) {
    const [step, started] = [audit.step ?? '', performance.now()];
    await sleep(LOOK_MS);
    audit = await ask<Audit>(billing, `/api/ledger/audits/${audit.id}`);
    parts[step] = (parts[step] ?? 0) + (performance.now() - started) / 1_000;
  }
  return { found: audit.difference_count, parts };
}

const hasEnded = ({ ended_at }: Verification) => ended_at !== null;

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
  const account = await connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM billing.account');
    const id = rows[0]?.id ?? '';
    for (const statement of listMonthStatements(id)) await client.query(statement);
    return id;
  });
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, PERIOD_CLOSE_AFTER_DAYS: 'never' };
  billing = await startOwnBilling(directory, env);
  const statements = await timeStatements(billing);
  const audit = await timeAudit(billing);
  const sealing = await timeSealing(billing, account);
  const started = performance.now();
  await follow(billing, await begin(billing), hasEnded);
  const verifying = (performance.now() - started) / 1_000;

  const asked = await begin(billing);
  const half = await follow(billing, asked, ({ checked, total }) => checked > total / 2);
  process.kill(billing.pid, 'SIGKILL');
  await billing.stop();
  billing = await startOwnBilling(directory, env);
  const again = performance.now();
  const { checked: begunAt } = await ask<Verification>(billing, `/api/verifications/${asked.id}`);
  const { verified } = await follow(billing, asked, hasEnded);
  const rest = (performance.now() - again) / 1_000;

  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), ${ROWS} requests\n`,
  );
  console.log(`what | result\n--- | --:`);
  console.log(
    `statement of the open month, median and slowest of ${ROUNDS}, ms | ${statements[(ROUNDS - 1) / 2]?.toFixed(1)}, ${statements.at(-1)?.toFixed(1)}`,
  );
  const spent = Object.entries(audit.parts).map(([step, seconds]) => `${step} ${seconds.toFixed(1)}`);
  console.log(`complete audit, s | ${spent.join(', ')}; ${audit.found} differences`);
  console.log(`sealing, s | ${sealing.toFixed(1)}`);
  console.log(`verifying, s | ${verifying.toFixed(1)}`);
  console.log(
    `killed at | ${half.checked.toLocaleString('en')} of ${half.total.toLocaleString('en')}; goes on at ${begunAt.toLocaleString('en')}, ${rest.toFixed(1)} s to the end, verified: ${verified}`,
  );
} finally {
  await billing?.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
