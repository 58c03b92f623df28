import { MESSAGE, type RequestBatch, type RequestRecord } from '@tollgate/contracts';
import { type Logger, readAtScrape, type RequestReplyClient } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { type CountedEnd, createPending } from './pending.ts';
import { createSampler } from './sampler.ts';

const SEND_EVERY_MS = 500;
/** After a batch that billing did not take. */
const SEND_AGAIN_MS = 2_000;
const SEND_TIMEOUT_MS = 10_000;
/** At the end what waits is told once more, for so long. */
const LAST_SEND_MS = 3_000;

/** Tells billing what became of requests that made no usage. Nobody waits for it, and what it cannot bring is given up. */
export interface RequestLog {
  /**
   * Takes the end of a request. One without a charge is counted; its record, if there is one, is kept unless its account has
   * too many.
   */
  ended(end: CountedEnd & { readonly isCharged: boolean }, record: RequestRecord | undefined): void;
  close(): Promise<void>;
}

/** @param billing a connection of its own: what usage and keys need never waits behind it. */
export function createRequestLog(parts: {
  readonly billing: Pick<RequestReplyClient, 'request'>;
  readonly perMinute: number;
  readonly metrics: Registry;
  readonly logger: Logger;
}): RequestLog {
  const { billing, logger } = parts;
  const pending = createPending();
  const sampler = createSampler(parts.perMinute);
  const dropped = { record: 0, count: 0 };
  let inHand: RequestBatch | undefined;
  let sending: Promise<void> | undefined;
  let isAway = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  serveMetrics(parts.metrics, dropped);

  /** The same batch is sent until it is taken, so that nothing in it is counted twice. */
  async function send(timeoutMs: number): Promise<boolean> {
    inHand ??= pending.takeBatch();
    if (!inHand) return true;
    try {
      await billing.request(MESSAGE.requestsNote, inHand, z.null(), timeoutMs);
      inHand = undefined;
      isAway = false;
      return true;
    } catch (error) {
      const { message: reason } = error as { readonly message: string };
      if (!isAway)
        logger.warn({ event: 'request_log_refused', reason }, 'billing does not take ended requests');
      isAway = true;
      return false;
    }
  }

  function sendSoon(afterMs: number): void {
    if (timer || sending || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = send(SEND_TIMEOUT_MS).then((isTaken) => {
        sending = undefined;
        if (isTaken && !pending.isEmpty()) sendSoon(SEND_EVERY_MS);
        else if (!isTaken) sendSoon(SEND_AGAIN_MS);
      });
    }, afterMs);
    timer.unref();
  }

  return {
    ended({ isCharged, ...end }, record) {
      const bucket = `${end.account_id} ${isCharged}`;
      const isSampled = record !== undefined && sampler.take(bucket, performance.now());
      const isKept = isSampled && pending.keep(record);
      if (isSampled && !isKept) dropped.record += 1;
      if (!isCharged && !pending.count(end, isKept)) dropped.count += 1;
      if (!pending.isEmpty()) sendSoon(SEND_EVERY_MS);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await sending;
      const until = performance.now() + LAST_SEND_MS;
      while (inHand || !pending.isEmpty()) {
        const leftMs = until - performance.now();
        if (leftMs <= 0 || !(await send(leftMs))) return;
      }
    },
  };
}

function serveMetrics(registry: Registry, dropped: Readonly<Record<'record' | 'count', number>>): void {
  const name = 'tollgate_gateway_request_log_dropped_total';
  const help =
    'Requests without a charge that the log lost as too many waited for billing: records, or counts';
  readAtScrape(registry, { kind: 'counter', name, help, labelNames: ['what'] }, () =>
    Object.entries(dropped).map(([what, count]) => [{ what }, count]),
  );
}
