import type { UsageEvent } from '@tollgate/contracts';
import { type Count, createHistogramTally, createTally, readAtScrape } from '@tollgate/platform';
import type { RelayErrorKind } from '@tollgate/protocols';
import { type ClientProtocol, CLIENT_PROTOCOLS, TOKEN_KINDS } from '@tollgate/vocabulary';
import type { Registry } from 'prom-client';
import type { LimitedBy } from '../admit/admit.ts';
import { createGenAiMetrics, type GenAiMetrics } from './gen-ai-metrics.ts';
import { keep } from './keep.ts';

/** From a hit in a cache of prompts to a long stream of reasoning. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** How a relayed request ended. What an upstream refused, a count and a repeat are answered without being billed. */
export type RequestOutcome = UsageEvent['outcome'] | 'refused' | 'not_billed';

export interface RequestMetrics extends GenAiMetrics {
  began(): void;
  streamBegan(): void;
  refused(kind: RelayErrorKind): void;
  limited(by: LimitedBy): void;
  /** What is billed: its models and groups are those of the catalogue, so there are only so many. */
  recorded(event: UsageEvent): void;
  /** The same of what ended long after its request was answered: when its first byte came says nothing of any upstream. */
  jobRecorded(event: UsageEvent): void;
  lost(event: UsageEvent): void;
  ended(request: {
    readonly protocol: ClientProtocol;
    readonly stream: boolean;
    readonly status: number;
    readonly outcome: RequestOutcome;
    readonly seconds: number;
  }): void;
}

/** What Prometheus is told of the requests that pass. Counting is adding to numbers that were looked up before. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  let [inFlight, streams] = [0, 0];
  const now = (name: string, help: string, read: () => number) =>
    readAtScrape(registry, { kind: 'gauge', name, help }, () => [[{}, read()]]);
  now('tollgate_gateway_requests_in_flight', 'Requests that are being relayed', () => inFlight);
  now('tollgate_gateway_streams_in_flight', 'Those of them whose answer is a stream', () => streams);

  const requests = createTally(registry, {
    name: 'tollgate_gateway_requests_total',
    help: 'Relayed requests that are over; status 499 where the caller left before an answer',
    labelNames: ['protocol', 'status', 'outcome'],
  });
  const refusals = createTally(registry, {
    name: 'tollgate_gateway_refusals_total',
    help: 'Requests that were answered with an error of the gateway, by its kind',
    labelNames: ['kind'],
  });
  const limits = createTally(registry, {
    name: 'tollgate_gateway_admission_refusals_total',
    help: 'Requests that a limit or credit kept out, by what it was',
    labelNames: ['by'],
  });
  const billed = createTally(registry, {
    name: 'tollgate_gateway_model_requests_total',
    help: 'Billed requests by the group and the model that they are billed under',
    labelNames: ['group', 'model'],
  });
  const tokens = createTally(registry, {
    name: 'tollgate_gateway_tokens_total',
    help: 'Tokens of billed requests; kinds do not overlap',
    labelNames: ['model', 'kind'],
  });
  const sources = createTally(registry, {
    name: 'tollgate_gateway_usage_events_total',
    help: 'Usage events by where their counts come from',
    labelNames: ['source'],
  });
  const beyond = createTally(registry, {
    name: 'tollgate_gateway_usage_beyond_bound_total',
    help: 'Billed requests whose upstream reported more than they can have had or cost; they are charged the bound',
    labelNames: ['upstream'],
  });
  const lost = createTally(registry, {
    name: 'tollgate_gateway_lost_attempts_total',
    help: "Attempts that brought nothing and that their upstream may bill: they are the operator's cost",
    labelNames: ['upstream', 'cause'],
  });
  const duration = createHistogramTally(registry, {
    name: 'tollgate_gateway_request_duration_seconds',
    help: 'From the head of a request to the end of its answer',
    labelNames: ['protocol', 'stream'],
    buckets: SECONDS,
  });
  const firstByte = createHistogramTally(registry, {
    name: 'tollgate_gateway_first_byte_seconds',
    help: 'From the head of a billed request to the first byte of its answer, with all tries',
    labelNames: ['upstream', 'stream'],
    buckets: SECONDS,
  });

  const requestCount = keep((protocol, status, outcome) => requests.of({ protocol, status, outcome }));
  const refusalCount = keep((kind) => refusals.of({ kind }));
  const limitCount = keep((by) => limits.of({ by }));
  const billedCount = keep((group, model) => billed.of({ group, model }));
  const tokenCount = keep((model, kind) => tokens.of({ model, kind }));
  const sourceCount = keep((source) => sources.of({ source }));
  const beyondCount = keep((upstream) => beyond.of({ upstream }));
  const lostCount = keep((upstream, cause) => lost.of({ upstream, cause }));
  const durationOf = keep((protocol, stream) => duration.of({ protocol, stream }));
  const firstByteOf = keep((upstream, stream) => firstByte.of({ upstream, stream }));
  for (const protocol of CLIENT_PROTOCOLS) requestCount(protocol, '200', 'completed');

  function count(event: UsageEvent): void {
    add(billedCount(event.group, event.model));
    add(sourceCount(event.usage_source));
    if (event.disputed) add(beyondCount(event.upstream));
    for (const { model, counts } of event.lines)
      for (const kind of TOKEN_KINDS) {
        const tokensOfKind = counts[kind];
        if (tokensOfKind) add(tokenCount(model, kind), tokensOfKind);
      }
  }

  return {
    ...createGenAiMetrics(registry),
    began: () => void (inFlight += 1),
    streamBegan: () => void (streams += 1),
    refused: (kind) => add(refusalCount(kind)),
    limited: (by) => add(limitCount(by)),
    recorded(event) {
      count(event);
      // What was given up before it has no first byte.
      if (event.http_status < 300)
        firstByteOf(event.upstream, `${event.stream}`).observe(event.first_byte_ms / 1_000);
    },
    jobRecorded: count,
    lost: (event) => add(lostCount(event.upstream, event.lost ?? '')),
    ended({ protocol, stream, status, outcome, seconds }) {
      inFlight -= 1;
      if (stream) streams -= 1;
      add(requestCount(protocol, String(status), outcome));
      durationOf(protocol, `${stream}`).observe(seconds);
    },
  };
}

const add = (count: Count, by = 1): void => void (count.value += by);
