import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { drainOrphanedSpools, type OrphanedSpools } from './cluster/orphaned-spools.ts';
import { spoolRoot, takeSpool } from './cluster/spool-directory.ts';
import type { Worker } from './cluster/worker.ts';
import { createConfirmation } from './publish/confirmation.ts';
import { createPublisher, type Publisher } from './publish/publisher.ts';
import { openSpool, type Spool } from './publish/spool.ts';
import { toQuarantinePath } from './publish/spool-files.ts';
import {
  createMissingUsageLookup,
  createUsageDelivery,
  type UsageDelivery,
} from './publish/usage-delivery.ts';
import { createUsageQueue } from './publish/usage-queue.ts';

/** A file of the spool is asked about as a whole: no larger than one question to billing, and soon. */
const SEGMENT = { maxEvents: 2_000, maxAgeMs: 2_000 };

/** What brings usage into the books. Its disposal makes durable what was taken, and gives the spool up. */
interface UsagePipeline extends AsyncDisposable {
  readonly directory: string;
  readonly quarantine: string;
  readonly spool: Spool;
  readonly orphaned: OrphanedSpools;
  readonly publisher: Publisher;
  readonly delivery: UsageDelivery;
  /** Lines of spools that are not what was written. */
  readonly damage: { readonly lines: number };
}

export async function startUsagePipeline(of: {
  readonly directory: string;
  readonly worker: Worker;
  readonly redis: Redis;
  readonly billing: RequestReplyClient;
  /** Of the usage queue. */
  readonly shards: number;
  readonly logger: Logger;
}): Promise<UsagePipeline> {
  const { worker, redis, billing, logger } = of;
  await using started = new AsyncDisposableStack();
  const root = await spoolRoot(of.directory);
  const own = started.adopt(await takeSpool(root, worker), (taken) => taken.release());
  const damage = { lines: 0 };
  const quarantine = toQuarantinePath(root);
  const open = (path: string) =>
    openSpool(path, logger, {
      segment: SEGMENT,
      quarantine,
      onDamage: (lines) => (damage.lines += lines),
    });
  const spool = await open(own.path);
  const missing = createMissingUsageLookup(billing);
  const queue = createUsageQueue(redis, logger, of.shards);
  const delivery = started.adopt(createUsageDelivery({ queue, billing, logger }), (each) => each.close());
  const orphaned = started.adopt(
    drainOrphanedSpools({
      root,
      own: own.number,
      worker,
      logger,
      async open(path) {
        const orphan = await open(path);
        return {
          spool: orphan,
          confirmation: createConfirmation({ spool: orphan, missing, delivery, logger }),
        };
      },
    }),
    (each) => each.close(),
  );
  const publisher = started.adopt(createPublisher({ redis, spool, delivery, missing, logger }), (each) =>
    each.close(),
  );
  const resources = started.move();
  return {
    directory: own.path,
    quarantine,
    spool,
    orphaned,
    publisher,
    delivery,
    damage,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
