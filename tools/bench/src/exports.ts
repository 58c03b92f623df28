// `npm run bench -- exports [rows]`: exports of usage by a billing of its own, beside COPY of the same rows, with the
// most memory that billing's process took.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf, dataExports } from '@tollgate/api';
import { createDatabase, startPostgres, startRedis } from '@tollgate/harness';
import { to } from 'pg-copy-streams';
import { listSyntheticStatements, syntheticSpan } from './synthetic-ledger.ts';
import { connected, foundBooks, startOwnBilling } from './own-billing.ts';

const ROWS = Number(process.argv[2] ?? 5_000_000);
/** How often it is asked how far it is. */
const POLL_MS = 200;
const say = (text: string) => process.stderr.write(`${text}\n`);

interface Measured {
  readonly work: string;
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

/** The whole table through COPY, thrown away as it comes. */
const copied = (databaseUrl: string, work: string, query: string): Promise<Measured> =>
  connected(databaseUrl, async (client) => {
    const started = performance.now();
    let bytes = 0;
    for await (const chunk of client.query(to(query)) as AsyncIterable<Buffer>) bytes += chunk.length;
    return { work, seconds: (performance.now() - started) / 1_000, bytes, peakMb: null, slowestMs: null };
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
    if (job.status !== 'done' || job.rows.done < ROWS)
      throw new Error(`the export is ${job.status}: ${job.error}`);
    const peakMb = memory(billing.pid, 'VmHWM');
    say(
      `${kind} ${format}: ${seconds.toFixed(1)} s, ${peakMb.toFixed(0)} MB at most, ${before.toFixed(0)} MB before`,
    );
    return { work: `${kind}, ${format}`, seconds, bytes: job.bytes, peakMb, slowestMs };
  } finally {
    await billing.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(databaseUrl: string, redisUrl: string): Promise<Measured[]> {
  await foundBooks(databaseUrl);
  say(`Making up ${ROWS.toLocaleString('en')} requests`);
  await connected(databaseUrl, async (client) => {
    for (const statement of listSyntheticStatements(ROWS)) await client.query(statement);
    await client.query('CHECKPOINT');
  });
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  return [
    // Once for the cache of the database, so that nobody reads from the disk.
    await copied(
      databaseUrl,
      'COPY, first time',
      'COPY (SELECT * FROM billing.usage ORDER BY number) TO STDOUT',
    ),
    await copied(
      databaseUrl,
      'COPY … TO STDOUT (CSV)',
      'COPY (SELECT * FROM billing.usage ORDER BY number) TO STDOUT (FORMAT csv)',
    ),
    await exported(env, 'usage', 'csv'),
    await exported(env, 'usage', 'jsonl'),
    await exported(env, 'usage', 'parquet'),
  ].slice(1);
}

function table(runs: readonly Measured[]): string {
  const reference = runs[0]?.seconds ?? 0;
  const lines = runs.map(({ work, seconds, bytes, peakMb, slowestMs }) =>
    [
      work,
      seconds.toFixed(1),
      Math.round(ROWS / seconds / 1_000),
      (seconds / reference).toFixed(2),
      Math.round(bytes / 1e6),
      peakMb === null ? '' : Math.round(peakMb),
      slowestMs === null ? '' : Math.round(slowestMs),
    ].join(' | '),
  );
  return [
    'work | s | 1,000 requests/s | times COPY | MB written | peak RSS MB | slowest /readyz ms',
    '--- | --: | --: | --: | --: | --: | --:',
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
  const runs = await measure(await createDatabase(postgres.url, 'bench'), redis.url);
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), ${ROWS} requests\n`,
  );
  console.log(table(runs));
} finally {
  await redis.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
