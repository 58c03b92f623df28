import type { ServerResponse } from 'node:http';
import type { Protocol, UsageEvent } from '@tollgate/contracts';
import type { RelayErrorKind } from '@tollgate/protocols';
import type { LimitedBy } from '../admit/admit.ts';
import type { RequestMetrics, RequestOutcome } from './request-metrics.ts';

/** Status of a request whose caller left before it was answered, as other front doors write it. */
const CALLER_LEFT = 499;

/** Is told what becomes of one request. */
export interface RequestWatch {
  /** Its body is there, and is understood. */
  received(stream: boolean): void;
  limited(by: LimitedBy): void;
  refused(kind: RelayErrorKind): void;
  recorded(event: UsageEvent): void;
  ended(response: ServerResponse): void;
}

/** Begins to watch a request. */
export function watchRequest(metrics: RequestMetrics, protocol: Protocol): RequestWatch {
  const beganAt = performance.now();
  let stream = false;
  let outcome: RequestOutcome | undefined;
  metrics.began();
  return {
    received(wantsStream) {
      stream = wantsStream;
      if (stream) metrics.streamBegan();
    },
    limited: (by) => metrics.limited(by),
    refused(kind) {
      outcome ??= 'refused';
      metrics.refused(kind);
    },
    recorded(event) {
      outcome = event.outcome;
      metrics.recorded(event);
    },
    ended(response) {
      const left = !response.headersSent;
      metrics.ended({
        ...{ protocol, stream },
        status: left ? CALLER_LEFT : response.statusCode,
        outcome: outcome ?? (left || !response.writableEnded ? 'client_aborted' : 'not_billed'),
        seconds: (performance.now() - beganAt) / 1_000,
      });
    },
  };
}
