// `npm run bench -- exports [rows] [kinds]`: exports by a billing of its own, beside COPY of the rows that they read, with the
// most memory that billing's process took.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf, dataExports } from '@tollgate/api';
import { createDatabase, startPostgres, startRedis } from '@tollgate/harness';
import { to } from 'pg-copy-streams';
import { listSyntheticStatements, syntheticSpan } from './synthetic-ledger.ts';
import { connected, foundBooks, startOwnBilling } from './own-billing.ts';
import { answerPrices } from './synthetic-prices.ts';

const ROWS = Number(process.argv[2] ?? 5_000_000);
const KINDS = process.argv.slice(3);
/** How often it is asked how far it is. */
const POLL_MS = 200;
const say = (text: string) => process.stderr.write(`${text}\n`);

/** What is measured, by what it reads: how COPY reads that, and which exports do. */
const READ = [
  {
    query: 'SELECT * FROM billing.usage ORDER BY number',
    exports: [
      { kind: 'usage', format: 'csv' },
      { kind: 'usage', format: 'jsonl' },
      { kind: 'usage', format: 'parquet' },
      { kind: 'focus', format: 'csv' },
      { kind: 'focus', format: 'parquet' },
    ],
  },
  {
    query: `SELECT t.*, e.ledger_account, e.amount_pico FROM billing.ledger_transaction t
      LEFT JOIN billing.ledger_entry e ON e.number = t.number ORDER BY t.number`,
    exports: [
      { kind: 'ledger', format: 'csv' },
      { kind: 'ledger', format: 'parquet' },
    ],
  },
] as const;

interface Measured {
  readonly work: string;
  /** Rows that were written. */
  readonly rows: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Of billing's process. */
  readonly peakMb: number | null;
  /** How long billing took at most to say that it is ready, meanwhile. */
  readonly slowestMs: number | null;
}

/** A number of /proc/…/status, in MB. */
function memory(pid: number, what: 'VmHWM' | 'VmRSS'): number {
  const kb = new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1_024;
}

/** Rows through COPY, thrown away as they come. */
const copied = (databaseUrl: string, query: string): Promise<Measured> =>
  connected(databaseUrl, async (client) => {
    const copy = client.query(to(`COPY (${query}) TO STDOUT (FORMAT csv)`));
    const started = performance.now();
    let bytes = 0;
    for await (const chunk of copy as AsyncIterable<Buffer>) bytes += chunk.length;
    const seconds = (performance.now() - started) / 1_000;
    const table = /FROM (\S+)/.exec(query)?.[1];
    return {
      work: `COPY of ${table} (CSV)`,
      rows: copy.rowCount,
      seconds,
      bytes,
      peakMb: null,
      slowestMs: null,
    };
  });

type Job = AnswerOf<typeof dataExports.showExport>;

/** An export by a billing that was started for it alone. */
async function exported(
  env: Readonly<Record<string, string>>,
  kind: string,
  format: string,
): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-exports-'));
  const billing = await startOwnBilling(directory, { ...env, EXPORT_DIR: directory });
  const { url, cookie } = billing;
  try {
    const ask = async (path: string, body?: object): Promise<Job> => {
      const answer = await fetch(`${url}/api/exports${path}`, {
        headers: { cookie, 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      });
      return (await answer.json()) as Job;
    };
    const before = memory(billing.pid, 'VmRSS');
    const started = performance.now();
    let slowestMs = 0;
    let job = await ask('', { kind, format, ...syntheticSpan(ROWS) });
    while (job.status === 'queued' || job.status === 'running') {
      await sleep(POLL_MS);
      const asked = performance.now();
      await fetch(`${url}/readyz`).then((answer) => answer.arrayBuffer());
      slowestMs = Math.max(slowestMs, performance.now() - asked);
      job = await ask(`/${job.id}`);
    }
    const seconds = (performance.now() - started) / 1_000;
    if (job.status !== 'done' || (kind !== 'focus' && job.rows.done < ROWS))
      throw new Error(`the export is ${job.status}: ${job.error}`);
    const peakMb = memory(billing.pid, 'VmHWM');
    say(
      `${kind} ${format}: ${seconds.toFixed(1)} s, ${peakMb.toFixed(0)} MB at most, ${before.toFixed(0)} MB before`,
    );
    return { work: `${kind}, ${format}`, rows: job.rows.done, seconds, bytes: job.bytes, peakMb, slowestMs };
  } finally {
    await billing.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Each COPY with the exports that read the same. */
async function measure(databaseUrl: string, redisUrl: string): Promise<Measured[][]> {
  await foundBooks(databaseUrl);
  say(`Making up ${ROWS.toLocaleString('en')} requests`);
  await connected(databaseUrl, async (client) => {
    for (const statement of listSyntheticStatements(ROWS)) await client.query(statement);
    await client.query('CHECKPOINT');
  });
  const prices = await answerPrices();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PRICING_TCP_URL: prices.url };
  const tables: Measured[][] = [];
  try {
    for (const { query, exports } of READ) {
      const asked = exports.filter(({ kind }) => KINDS.length === 0 || KINDS.includes(kind));
      if (asked.length === 0) continue;
      // Once for the cache of the database, so that nobody reads from the disk.
      await copied(databaseUrl, query);
      const runs = [await copied(databaseUrl, query)];
      for (const { kind, format } of asked) runs.push(await exported(env, kind, format));
      tables.push(runs);
    }
  } finally {
    prices.stop();
  }
  return tables;
}

function table(tables: readonly (readonly Measured[])[]): string {
  const lines = tables.flatMap((runs) =>
    runs.map(({ work, rows, seconds, bytes, peakMb, slowestMs }) =>
      [
        work,
        rows.toLocaleString('en'),
        seconds.toFixed(1),
        Math.round(ROWS / seconds / 1_000),
        (seconds / (runs[0]?.seconds ?? 0)).toFixed(2),
        Math.round(bytes / 1e6),
        peakMb === null ? '' : Math.round(peakMb),
        slowestMs === null ? '' : Math.round(slowestMs),
      ].join(' | '),
    ),
  );
  return [
    'work | rows written | s | 1,000 requests/s | times COPY | MB written | peak RSS MB | slowest /readyz ms',
    '--- | --: | --: | --: | --: | --: | --: | --:',
    ...lines,
  ].join('\n');
}

const directory = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const postgres = await startPostgres({
  directory: join(directory, 'data'),
  password: 'bench',
  durable: false,
});
const redis = await startRedis();
try {
  const tables = await measure(await createDatabase(postgres.url, 'bench'), redis.url);
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), ${ROWS} requests, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log(table(tables));
} finally {
  await redis.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
