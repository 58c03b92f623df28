import { Worker } from 'node:worker_threads';
import { type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import {
  finish,
  giveUpExports,
  hasOpenExports,
  heartbeat,
  type Lease,
  leaseExport,
  putBack,
  release,
} from './export-leases.ts';
import type { StorageConfig } from './export-config.ts';
import { findExport } from './export-jobs.ts';
import { removeFiles } from './export-parts.ts';
import type { FromThread, ThreadInput, ToThread } from './export-thread-messages.ts';
import type { ExportStorage } from './storage/storage.ts';
import type { Progress } from './write-export.ts';

interface ExportRunnerParts {
  readonly database: DataSource;
  readonly databaseUrl: string;
  readonly replicaUrl: string | undefined;
  readonly pricing: RequestReplyClient;
  readonly storage: ExportStorage;
  readonly storageConfig: StorageConfig;
  readonly logger: Logger;
  readonly concurrency: number;
  readonly leaseS: number;
  /** There are files of one more export. */
  readonly onDone: () => void;
}

export interface ExportRunner {
  /** Looks for exports now, not only at the next turn. */
  wake(): void;
  /** Gives the exports in hand to whoever is next. */
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;
const BEAT_MS = 1_000;
/** A thread that needs more is ended; billing goes on. With 48 and 6 MB Parquet spent more than half of its time on collecting. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 };

/** Where billing runs from its sources, the thread is the one that was built: it starts in a third of the time. */
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(FROM_SOURCE ? '../../bundle/export-thread.js' : './export-thread.js', import.meta.url);

/**
 * Writes exports as they come, each in a thread of its own: encoding a row group takes a fifth of a second, in which
 * nothing else of billing would be answered.
 */
export function startExportRunner(parts: ExportRunnerParts): ExportRunner {
  const { database, logger } = parts;
  const running = new Map<Lease, { readonly ended: Promise<void>; readonly end: () => void }>();
  let stopping = false;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (!(await hasOpenExports(database))) return;
    for (const id of await giveUpExports(database, parts.leaseS))
      await removeFiles(database, parts.storage, id);
    while (!stopping && running.size < parts.concurrency) {
      const lease = await leaseExport(database, parts.leaseS);
      if (!lease) return;
      const job = startThread(lease, parts);
      const ended = job.ended
        .catch((error: Error) =>
          logger.error(
            { event: 'export_abandoned', reason: error.message },
            'an export was left before its end',
          ),
        )
        .finally(() => {
          running.delete(lease);
          wake();
        });
      running.set(lease, { ended, end: job.end });
      if (stopping) job.end();
    }
  }
  function wake(): void {
    if (stopping || looking) return;
    looking = look()
      .catch((error: Error) =>
        logger.warn(
          { event: 'export_lookup_failed', reason: error.message },
          'exports that wait could not be looked for',
        ),
      )
      .finally(() => (looking = undefined));
  }

  const timer = setInterval(wake, LOOK_MS);
  wake();
  return {
    wake,
    async stop() {
      stopping = true;
      clearInterval(timer);
      await looking;
      for (const { end } of running.values()) end();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

type Outcome =
  | { readonly how: 'done'; readonly done: Progress & { readonly manifest: string } }
  | { readonly how: 'failed'; readonly reason: string }
  | { readonly how: 'ended' }
  | { readonly how: 'lost' };

function startThread(lease: Lease, parts: ExportRunnerParts): { ended: Promise<void>; end: () => void } {
  const { database, logger, pricing } = parts;
  const { plan } = lease;
  const thread = new Worker(THREAD, {
    workerData: {
      plan,
      leaseId: lease.id,
      databaseUrl: parts.databaseUrl,
      replicaUrl: parts.replicaUrl,
      storage: parts.storageConfig,
    } satisfies ThreadInput,
    execArgv: [],
    resourceLimits: THREAD_LIMITS,
  });
  let progress: Progress | undefined;
  const outcome = Promise.withResolvers<Outcome>();

  const answer = async (version: number): Promise<ToThread> => {
    try {
      return { version, snapshot: await snapshotOf(pricing, version) };
    } catch (error) {
      return { version, reason: (error as Error).message };
    }
  };
  thread.on('message', (message: FromThread) => {
    if (message.type === 'progress') progress = message.progress;
    else if (message.type === 'replica left')
      logger.warn(
        { event: 'export_replica_left', export: plan.id, reason: message.reason },
        'an export is read from the primary',
      );
    else if (message.type === 'done') outcome.resolve({ how: 'done', done: message.done });
    else void answer(message.version).then((found) => thread.postMessage(found));
  });
  thread.on('error', (error: Error) => outcome.resolve({ how: 'failed', reason: error.message }));
  thread.on('exit', (code) =>
    outcome.resolve({ how: 'failed', reason: `its thread ended with code ${code}` }),
  );

  const beat = setInterval(() => {
    heartbeat(database, lease, progress).then(
      (held) => {
        if (!held) outcome.resolve({ how: 'lost' });
      },
      (error: Error) =>
        logger.warn(
          { event: 'export_heartbeat_failed', export: plan.id, reason: error.message },
          'the lease of an export could not be renewed',
        ),
    );
  }, BEAT_MS);

  async function settle(): Promise<void> {
    const how = await outcome.promise;
    clearInterval(beat);
    await thread.terminate();
    if (how.how === 'done' && (await finish(database, lease, how.done))) parts.onDone();
    if (how.how === 'ended') await release(database, lease);
    if (how.how === 'failed') {
      logger.warn(
        { event: 'export_failed', export: plan.id, attempt: lease.attempt, reason: how.reason },
        'an export failed',
      );
      await putBack(database, lease, how.reason);
    }
    await removeIfOver(database, parts.storage, plan.id);
  }
  return { ended: settle(), end: () => outcome.resolve({ how: 'ended' }) };
}

/** Of an export that is never done no file stays. */
async function removeIfOver(database: DataSource, storage: ExportStorage, id: string): Promise<void> {
  const now = await findExport(database, id);
  if (now?.status === 'cancelled' || now?.status === 'failed') await removeFiles(database, storage, id);
}

async function snapshotOf(pricing: RequestReplyClient, version: number): Promise<PriceSnapshot> {
  const found = await pricing.request(MESSAGE.snapshotGet, { version }, priceSnapshotSchema.nullable());
  if (!found) throw new Error(`pricing does not know version ${version}`);
  return found;
}
