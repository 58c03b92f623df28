import type { Tracer } from '@opentelemetry/api';
import type { UsageEvent } from '@tollgate/contracts';
import type { Logger } from '@tollgate/platform';
import type { RelayErrorKind } from '@tollgate/protocols';
import type { ClientProtocol, Task } from '@tollgate/vocabulary';
import type { LimitedBy } from '../admit/admit.ts';
import type { RequestMetrics, RequestOutcome } from './request-metrics.ts';
import { type RequestTrace, traceRequest } from './request-trace.ts';

/** Status of a request whose caller left before it was answered, as other front doors write it. */
const CALLER_LEFT = 499;

/** What requests are told to. */
export interface Telemetry {
  readonly metrics: RequestMetrics;
  /** Absent while nobody wants traces. */
  readonly tracer: Tracer | undefined;
  readonly logger: Logger;
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
  readonly trace: Pick<RequestTrace, 'traceparent' | 'attempted'> | undefined;
  /** Its body is there, and is understood. */
  received(request: { readonly model: string; readonly stream: boolean }): void;
  limited(by: LimitedBy): void;
  refused(kind: RelayErrorKind): void;
  recorded(event: UsageEvent): void;
  /** An attempt of it brought nothing, and its upstream may bill it. */
  lost(event: UsageEvent): void;
  /** Something failed that was not foreseen. */
  broke(error: unknown): void;
  ended(response: Answered): void;
}

/** Begins to watch a request. */
export function watchRequest(
  { metrics, tracer, logger }: Telemetry,
  request: {
    readonly id: string;
    readonly protocol: ClientProtocol;
    readonly task: Task | undefined;
    readonly traceparent: unknown;
  },
): RequestWatch {
  const { protocol } = request;
  const beganAt = performance.now();
  const trace = tracer && traceRequest(tracer, request);
  let stream = false;
  let outcome: RequestOutcome | undefined;
  let error: RelayErrorKind | undefined;
  metrics.began();
  return {
    trace,
    received({ model, stream: wantsStream }) {
      stream = wantsStream;
      if (stream) metrics.streamBegan();
      trace?.received(model, stream);
    },
    limited: (by) => metrics.limited(by),
    refused(kind) {
      error = kind;
      metrics.refused(kind);
    },
    recorded(event) {
      outcome = event.outcome;
      metrics.recorded(event);
      trace?.recorded(event);
    },
    lost: (event) => metrics.lost(event),
    broke(thrown) {
      error = 'internal';
      logger.error({ event: 'request_failed', err: thrown, request_id: request.id }, 'a request failed');
    },
    ended(response) {
      const left = !response.headersSent;
      const status = left ? CALLER_LEFT : response.statusCode;
      outcome ??= error && 'refused';
      outcome ??= left || !response.writableEnded ? 'client_aborted' : 'not_billed';
      const seconds = (performance.now() - beganAt) / 1_000;
      metrics.ended({ protocol, stream, status, outcome, seconds });
      trace?.ended(status, outcome, error);
      if (!logger.isLevelEnabled('debug')) return;
      logger.debug(
        {
          event: 'request_ended',
          request_id: request.id,
          protocol,
          stream,
          status,
          outcome,
          error,
          seconds,
        },
        'a request is over',
      );
    },
  };
}
