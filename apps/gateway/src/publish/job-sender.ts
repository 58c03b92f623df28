import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tollgate/platform';
import type { Spool } from './spool.ts';
import type { WrittenEvent } from './spool-line.ts';
import type { UsageDelivery } from './usage-delivery.ts';

const RETRY_MS = 500;

/** Events that travel together. */
export interface Job {
  readonly id: string;
  readonly events: readonly WrittenEvent[];
  /** Of each event, whether the disk took it. */
  readonly stored: readonly Promise<boolean>[];
}

interface JobSender {
  /** Puts an event onto the disk. Whether the disk took it: where it refuses, the queue alone must. Never rejects. */
  store(jobId: string, written: WrittenEvent): Promise<boolean>;
  /** Resolves once the queue has taken the job, or something else every event that the disk refused. Never rejects. */
  send(job: Job): Promise<void>;
  /** Events that disk, queue and billing have refused: they are in memory only, and are tried again. */
  unstored(): number;
  /** Events that the disk refused, since the start. */
  diskRefusals(): number;
}

/** Brings jobs onto the disk and into the queue, and what both refuse to billing itself. */
export function createJobSender(parts: {
  readonly spool: Pick<Spool, 'append'>;
  readonly delivery: UsageDelivery;
  readonly logger: Logger;
}): JobSender {
  const { spool, delivery, logger } = parts;
  let unstored = 0;
  let diskRefusals = 0;

  const store = (job: string, written: WrittenEvent): Promise<boolean> =>
    spool.append({ job, written }).then(
      () => true,
      (error: Error) => {
        diskRefusals += 1;
        logger.error(
          { event: 'usage_spool_failed', reason: error.message, request_id: written.event.request_id },
          'the disk refuses a usage event',
        );
        return false;
      },
    );

  async function send({ id, events, stored }: Job): Promise<void> {
    const onDisk = await Promise.all(stored);
    let refused = events.filter((_event, index) => !onDisk[index]);
    let waiting = 0;
    try {
      for (;;) {
        const reason = await delivery.enqueue(id, events).then(() => undefined, messageOf);
        if (reason === undefined) return;
        if (refused.length === 0) {
          logger.debug(
            { event: 'usage_enqueue_failed', reason, events: events.length },
            'the queue refuses usage events',
          );
          return;
        }
        const posting = await delivery
          .post(refused.map(({ event }) => event))
          .then(() => undefined, messageOf);
        if (posting === undefined) return;
        unstored += refused.length - waiting;
        waiting = refused.length;
        logger.error(
          { event: 'usage_unstored', reason, posting, events: refused.length, retry_in_ms: RETRY_MS },
          'disk, queue and billing refuse usage events',
        );
        await sleep(RETRY_MS);
        const again = await Promise.all(refused.map((event) => store(id, event)));
        refused = refused.filter((_event, index) => !again[index]);
        if (refused.length === 0) return;
      }
    } finally {
      unstored -= waiting;
    }
  }

  return { store, send, unstored: () => unstored, diskRefusals: () => diskRefusals };
}

/** Also of what Nest's client throws, which is no Error. */
const messageOf = ({ message }: { readonly message: string }): string => message;
