import type { Tracer } from '@opentelemetry/api';
import { CLIENT_LEFT, type KeyRecord, type UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import { relayError, type RelayError, type RelayErrorKind } from '@tollgate/protocols';
import type { ClientProtocol, OtherOperation } from '@tollgate/vocabulary';
import type { LimitedBy } from '../admit/admit.ts';
import type { ForwardOptions } from '../forward/forward.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { beginStory } from '../request-log/request-story.ts';
import { logStreamFailure } from './stream-failure.ts';
import { watchCalls } from './gen-ai-metrics.ts';
import type { RequestMetrics, RequestOutcome } from './request-metrics.ts';
import { type RequestTrace, traceRequest } from './request-trace.ts';

/** What is told of what nobody foresaw. */
export const NOT_FORESEEN = relayError(
  'internal',
  'Something failed here. The operators can find it in the log.',
);

/** What requests are told to. */
export interface Telemetry {
  readonly metrics: RequestMetrics;
  /** Absent while nobody wants traces. */
  readonly tracer: Tracer | undefined;
  readonly logger: Logger;
  readonly requests: Pick<RequestLog, 'ended'>;
}

/** How far an answer has come. */
interface Answered {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly writableEnded: boolean;
}

/** Is told what becomes of one request. */
export interface RequestWatch {
  /** Where the request is traced. */
  readonly trace: Pick<RequestTrace, 'traceparent'> | undefined;
  /** It is known whose it is, be it refused or not. */
  authenticated(key: Pick<KeyRecord, 'account_id' | 'key_id'>): void;
  /** Its body is there, and is understood. */
  received(request: { readonly model: string; readonly stream: boolean }): void;
  limited(by: LimitedBy): void;
  refused(error: RelayError): void;
  /** An upstream refused it, with a status that is passed on and words without secrets. */
  refusedUpstream(status: number, words: string | undefined): void;
  /** An attempt is sent. */
  readonly attempted: NonNullable<ForwardOptions['attempted']>;
  /** It goes on after its answer, and is charged at its end. */
  goesOn(): void;
  /** @param finishReasons why the model ended, in the words of its upstream. */
  recorded(event: UsageEvent, finishReasons?: readonly string[]): void;
  /** An attempt of it brought nothing, and its upstream may bill it. */
  lost(event: UsageEvent): void;
  /** Something failed that was not foreseen. */
  broke(error: unknown): void;
  /** Passing its stream on failed here. */
  streamFailed(thrown: unknown): void;
  ended(response: Answered): void;
}

/** What is known of a request before its body is read. */
interface WatchedRequest {
  readonly id: string;
  readonly protocol: ClientProtocol;
  readonly task: OtherOperation | undefined;
  /** Where the path names one. */
  readonly model: string | undefined;
  readonly traceparent: unknown;
}

/** Begins to watch a request. */
export function watchRequest(
  { metrics, tracer, logger, requests }: Telemetry,
  request: WatchedRequest,
): RequestWatch {
  const { protocol } = request;
  const beganAt = performance.now();
  const trace = tracer && traceRequest(tracer, request);
  const story = beginStory(request);
  let stream = false;
  const calls = watchCalls(metrics);
  let outcome: RequestOutcome | undefined;
  let error: RelayErrorKind | undefined;
  metrics.began();
  return {
    trace,
    authenticated: story.authenticated,
    received({ model, stream: wantsStream }) {
      stream = wantsStream;
      story.received({ model, stream });
      if (stream) metrics.streamBegan();
      trace?.received(model, stream);
    },
    limited(by) {
      metrics.limited(by);
      story.limited(by);
    },
    refused(refusal) {
      error = refusal.kind;
      metrics.refused(refusal.kind);
      story.refused(refusal);
    },
    refusedUpstream: story.refusedUpstream,
    attempted(candidate, result) {
      trace?.attempted(candidate, result);
      const ended = story.attempted(candidate);
      void result.then((answer) => {
        calls.ended(candidate, answer);
        ended(answer);
      });
    },
    goesOn: story.charged,
    recorded(event, finishReasons) {
      outcome = event.outcome;
      story.charged();
      metrics.recorded(event);
      calls.recorded(event);
      trace?.recorded(event, finishReasons);
    },
    lost: (event) => metrics.lost(event),
    broke(thrown) {
      error = 'internal';
      story.refused(NOT_FORESEEN);
      logger.error({ event: 'request_failed', err: thrown, request_id: request.id }, 'a request failed');
    },
    streamFailed(thrown) {
      error = 'internal';
      logStreamFailure(logger, request.id, thrown);
    },
    ended(response) {
      const left = !response.headersSent;
      const status = left ? CLIENT_LEFT.status : response.statusCode;
      outcome ??= (error && 'refused') ?? (left || !response.writableEnded ? 'client_aborted' : 'not_billed');
      const seconds = (performance.now() - beganAt) / 1_000;
      metrics.ended({ protocol, stream, status, outcome, seconds });
      trace?.ended(status, outcome, error);
      story.ended(requests, status);
      logEnd(logger, { request_id: request.id, protocol, stream, status, outcome, error, seconds });
    },
  };
}

function logEnd(logger: Logger, end: object): void {
  if (logger.isLevelEnabled('debug')) logger.debug({ event: 'request_ended', ...end }, 'a request is over');
}
