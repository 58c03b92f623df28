import { PICO_PER_MICRO_USD } from '@tollgate/money';
import { readAtScrape } from '@tollgate/platform';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { UsageQueueWatch } from '../system/stores.ts';
import type { Impossible } from './believed-time.ts';
import type { Posting } from './posting.ts';

/** Usage is usually booked within a second; after an outage it may be hours old. */
const LAG_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600, 21_600];
const COMMIT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface UsageMetrics {
  /** New events that are committed, and how long their transaction took. */
  posted(postings: readonly Posting[], seconds: number): void;
  rejected(events: number): void;
  /** An event whose time cannot be. */
  clockCorrected(how: Impossible): void;
  failed(): void;
}

/** What Prometheus is told of the way of usage into the books. Its amounts are for graphs: the books are the ledger. */
export function createUsageMetrics(
  metrics: Registry,
  queue: Pick<UsageQueueWatch, 'counts'>,
  now: () => number = Date.now,
): UsageMetrics {
  readAtScrape(
    metrics,
    {
      kind: 'gauge',
      name: 'tollgate_usage_queue_jobs',
      help: 'Jobs of all usage queues, of up to 200 events each',
      labelNames: ['state'],
    },
    async () => Object.entries(await queue.counts()).map(([state, jobs]) => [{ state }, jobs]),
  );
  const { posted, rejected, clockCorrected, failed, lag, commit } = createInstruments([metrics]);
  let [charged, cost] = [0n, 0n];
  const micro = (name: string, help: string, pico: () => bigint) =>
    readAtScrape(metrics, { kind: 'counter', name, help }, () => [[{}, Number(pico() / PICO_PER_MICRO_USD)]]);
  micro(
    'tollgate_usage_charged_micro_usd_total',
    'What customers were charged by this process',
    () => charged,
  );
  micro(
    'tollgate_usage_upstream_cost_micro_usd_total',
    'What upstreams charge for it, where known',
    () => cost,
  );

  return {
    posted(postings, seconds) {
      posted.inc(postings.length);
      commit.observe(seconds);
      for (const { event, costPico, upstreamCostPico } of postings) {
        charged += costPico;
        cost += upstreamCostPico ?? 0n;
        lag.observe(Math.max(0, now() - Date.parse(event.occurred_at)) / 1_000);
      }
    },
    rejected: (events) => rejected.inc(events),
    clockCorrected: (how) => clockCorrected.inc({ how }),
    failed: () => failed.inc(),
  };
}

function createInstruments(registers: Registry[]) {
  const posted = new Counter({
    name: 'tollgate_usage_events_posted_total',
    help: 'Usage events that this process has posted',
    registers,
  });
  const rejected = new Counter({
    name: 'tollgate_usage_events_rejected_total',
    help: 'Usage events that can never be priced; they are in billing.usage_rejected',
    registers,
  });
  const clockCorrected = new Counter({
    name: 'tollgate_usage_clock_corrected_total',
    help: "Usage events whose gateway's clock said what cannot be, by whether that was in the future or the past",
    labelNames: ['how'] as const,
    registers,
  });
  for (const how of ['future', 'past'] as const) clockCorrected.inc({ how }, 0);
  const failed = new Counter({
    name: 'tollgate_usage_jobs_failed_total',
    help: 'Usage jobs that could not be posted now and are tried again',
    registers,
  });
  const lag = new Histogram({
    name: 'tollgate_usage_lag_seconds',
    help: 'From the arrival of a request to its commit in the books',
    buckets: LAG_S,
    registers,
  });
  const commit = new Histogram({
    name: 'tollgate_usage_commit_seconds',
    help: 'How long the database transaction of a batch took',
    buckets: COMMIT_S,
    registers,
  });
  return { posted, rejected, clockCorrected, failed, lag, commit };
}
