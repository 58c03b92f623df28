import type { UsageEvent } from '@tollgate/contracts';
import { readAtScrape } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { HealthRegistry } from '../health/registry.ts';
import type { RequestMetrics } from '../telemetry/request-metrics.ts';

/** What comes of asking for one job. */
const OUTCOMES = [
  /** It goes on. */
  'under_way',
  /** Its end is in the books. */
  'ended',
  /** Its upstream did not answer, or said nothing that is known. */
  'unanswered',
  /** It is gone at its upstream: nobody is charged. */
  'lost',
  /** Its upstream answered, and the books could not be told. */
  'untold',
] as const;
export type PollOutcome = (typeof OUTCOMES)[number];

/** Is told what becomes of jobs that go on after their requests. */
export interface JobWatch {
  polled(outcome: PollOutcome): void;
  /** @param targetId where it ran. */
  recorded(event: UsageEvent, targetId: string): void;
  lost(event: UsageEvent): void;
}

/** Counts jobs where requests are counted, and notes what cannot be in the health of the upstream that reported it. */
export function watchJobs(parts: {
  readonly registry: Registry;
  readonly metrics: Pick<RequestMetrics, 'jobRecorded' | 'lost'>;
  readonly health: Pick<HealthRegistry, 'target'>;
}): JobWatch {
  const { registry, metrics, health } = parts;
  const polls = new Map<PollOutcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  readAtScrape(
    registry,
    {
      kind: 'counter',
      name: 'tollgate_gateway_background_polls_total',
      help: 'Questions about answers that go on after their requests, by what came of them',
      labelNames: ['outcome'],
    },
    () => [...polls].map(([outcome, count]) => [{ outcome }, count]),
  );
  return {
    polled: (outcome) => void polls.set(outcome, (polls.get(outcome) ?? 0) + 1),
    recorded(event, targetId) {
      metrics.jobRecorded(event);
      if (event.disputed) health.target(targetId)?.disputed();
    },
    lost: (event) => metrics.lost(event),
  };
}
