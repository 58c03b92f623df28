import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { column, hasRows } from '@tollgate/platform/sql';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { z } from 'zod';
import type { ExportPart, ExportPlan } from './export-job.ts';
import { listParts } from './export-parts.ts';
import type { FromThread, ThreadInput, ToThread } from './export-thread-messages.ts';
import { toManifest } from './manifest.ts';
import { createStorage } from './storage/create-storage.ts';
import { listColumns, writeExport } from './write-export.ts';

/** Progress is told at most so often. */
const TELL_MS = 200;

const { plan, leaseId, databaseUrl, storage: storageConfig } = workerData as ThreadInput;
const port = parentPort;
if (!port) throw new Error('exports are written in a thread of their own');
const tell = (message: FromThread): void => port.postMessage(message);

const client = new pg.Client({
  connectionString: databaseUrl,
  application_name: 'tollgate-billing-exports',
  // As columns.ts says that times are written.
  options: '-c timezone=UTC -c datestyle=ISO',
});
await client.connect();
const storage = await createStorage(storageConfig);

const waiting = new Map<number, (message: ToThread) => void>();
port.on('message', (message: ToThread) => waiting.get(message.version)?.(message));

/** Asks the thread that started this one, which knows pricing. */
async function snapshotOf(version: number): Promise<PriceSnapshot> {
  const answer = await new Promise<ToThread>((resolve) => {
    waiting.set(version, resolve);
    tell({ type: 'snapshot', version });
  });
  waiting.delete(version);
  if ('reason' in answer) throw new Error(answer.reason);
  return answer.snapshot;
}

/** Writes down that a file is complete, unless the export was given to another one meanwhile. */
async function keep(part: ExportPart): Promise<void> {
  const isKept = await hasRows(
    client,
    `WITH job AS (
       SELECT id FROM billing.export_job WHERE id = $1 AND claimed_by = $2 AND status = 'running' FOR UPDATE
     )
     INSERT INTO billing.export_part (job_id, part, name, rows, bytes, sha256, last_key, sums)
     SELECT id, $3, $4, $5, $6, $7, $8, $9 FROM job RETURNING part`,
    [
      plan.id,
      leaseId,
      part.part,
      part.name,
      part.rows,
      part.bytes,
      part.sha256,
      part.lastKey,
      JSON.stringify(part.sums),
    ],
  );
  if (!isKept) throw new Error('the export is no longer this one’s to write');
}

const accountRow = z.object({ account_id: column.uuid, name: column.text, time_zone: column.text });

async function accountsSha256({ id, kind }: ExportPlan): Promise<string | null> {
  if (kind !== 'focus') return null;
  const hash = createHash('sha256');
  const accounts: AsyncIterable<unknown> = client.query(
    new QueryStream(
      'SELECT account_id, name, time_zone FROM billing.export_account WHERE job_id = $1 ORDER BY account_id',
      [id],
    ),
  );
  for await (const account of accounts) {
    const { account_id, name, time_zone } = accountRow.parse(account);
    hash.update(`${JSON.stringify([account_id, name, time_zone])}\n`);
  }
  return hash.digest('hex');
}

let toldAt = 0;
const parts = await writeExport(plan, await listParts(client, plan.id), {
  client,
  storage,
  snapshotOf,
  keep,
  progress(progress) {
    if (Date.now() - toldAt < TELL_MS) return;
    toldAt = Date.now();
    tell({ type: 'progress', progress });
  },
});
const manifest = toManifest(plan, listColumns(plan), parts, await accountsSha256(plan));
await storage.write(plan.id, 'manifest.json', oneChunk(manifest));
await client.end();
storage.close();
const sum = (what: 'rows' | 'bytes') => parts.reduce((total, part) => total + part[what], 0);
tell({ type: 'done', done: { rows: sum('rows'), bytes: sum('bytes'), total: sum('rows'), manifest } });
port.close();

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
