import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { PriceSnapshot } from '@tollgate/catalogue';
import { column, PG_KEEP_ALIVE } from '@tollgate/platform/sql';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { z } from 'zod';
import { waitForReplica } from '../database/replica.ts';
import type { ExportPlan } from './export-job.ts';
import { dropDraft, keepPart, saveDraft, takeUp } from './export-parts.ts';
import type { FromThread, ThreadInput, ToThread } from './export-thread-messages.ts';
import { toManifest } from './manifest.ts';
import type { Readers } from './sources/source.ts';
import { createStorage } from './storage/create-storage.ts';
import { DamagedDraft } from './storage/storage.ts';
import { listColumns, writeExport } from './write-export.ts';

const CONNECT_MS = 10_000;
/** Progress is told at most so often. */
const TELL_MS = 200;

const { plan, leaseId, databaseUrl, replicaUrl, storage: storageConfig } = workerData as ThreadInput;
const port = parentPort;
if (!port) throw new Error('exports are written in a thread of their own');
const tell = (message: FromThread): void => port.postMessage(message);

const connect = async (connectionString: string): Promise<pg.Client> => {
  const opened = new pg.Client({
    connectionString,
    application_name: 'tollgate-billing-exports',
    connectionTimeoutMillis: CONNECT_MS,
    ...PG_KEEP_ALIVE,
    // As columns.ts says that times are written.
    options: '-c timezone=UTC -c datestyle=ISO',
  });
  await opened.connect();
  return opened;
};

/**
 * Two pages are read at once: the database is at one while the other is handed over. FOCUS is read in one query, until whose end its
 * connection is used for nothing else.
 */
const openReaders = async (open: () => Promise<pg.Client>, first?: pg.Client): Promise<Readers> =>
  plan.kind === 'focus' ? [await open()] : [first ?? (await open()), await open()];

/** Readers of the replica, once it has what is exported; undefined where it does not, which is said. */
async function connectReplica(url: string): Promise<Readers | undefined> {
  const opened: pg.Client[] = [];
  const open = async (): Promise<pg.Client> => {
    const replica = await connect(url);
    opened.push(replica);
    // Each for itself: an address may lead to several replicas.
    await waitForReplica(replica, plan.watermark, { exportId: plan.id });
    return replica;
  };
  try {
    return await openReaders(open);
  } catch (error) {
    await Promise.all(opened.map((each) => each.end()));
    tell({ type: 'replica left', reason: (error as Error).message });
    return undefined;
  }
}

/** Where it is written down what is done. */
const client = await connect(databaseUrl);
const readers =
  (replicaUrl === undefined ? undefined : await connectReplica(replicaUrl)) ??
  (await openReaders(() => connect(databaseUrl), client));
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

let toldAt = -Infinity;
const lease = { exportId: plan.id, leaseId };
const parts = await writeExport(plan, await takeUp(client, lease), {
  readers,
  database: client,
  storage,
  snapshotOf,
  writer: leaseId,
  keep: (part) => keepPart(client, lease, part),
  saveDraft: (draft) => saveDraft(client, lease, draft),
  progress(progress) {
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    tell({ type: 'progress', progress });
  },
}).catch(async (error: Error) => {
  if (error instanceof DamagedDraft) await dropDraft(client, lease);
  throw error;
});
const manifest = toManifest(plan, listColumns(plan), parts, await accountsSha256(plan));
const manifestFile = await storage.create(plan.id, 'manifest.json', leaseId);
await manifestFile.write(Buffer.from(manifest));
await manifestFile.finish();
await Promise.all([...new Set([client, ...readers])].map((each) => each.end()));
storage.close();
const sum = (what: 'rows' | 'bytes') => parts.reduce((total, part) => total + part[what], 0);
tell({ type: 'done', done: { rows: sum('rows'), bytes: sum('bytes'), total: sum('rows'), manifest } });
port.close();
