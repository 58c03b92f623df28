import { type Link, ROOT_CONTEXT, SpanKind, type Tracer } from '@opentelemetry/api';
import { USAGE_QUEUE } from '@tollgate/contracts';
import { formatUsd } from '@tollgate/money';
import { readTraceparent, under } from '@tollgate/platform';
import type { PostedUsage } from './posting.ts';

/** A batch may hold the events of thousands of requests. */
const MAX_LINKS = 128;

/** Is told of the events that one transaction has posted, and when it began and ended, in milliseconds since 1970. */
export type TracePostings = (posted: readonly PostedUsage[], beganAt: number, endedAt: number) => void;

/**
 * Ends the trace of each request where its charge is in the ledger. The transaction belongs to many requests: it has a
 * trace of its own, which is linked with theirs.
 */
export const tracePostings =
  (tracer: Tracer): TracePostings =>
  (posted, beganAt, endedAt) => {
    const traced = posted.flatMap((posting) => {
      const request = readTraceparent(posting.event.traceparent);
      return request ? [{ posting, request }] : [];
    });
    if (traced.length === 0) return;
    const batch = tracer.startSpan(
      'post usage',
      {
        kind: SpanKind.CONSUMER,
        startTime: beganAt,
        links: traced.slice(0, MAX_LINKS).map(({ request }): Link => ({ context: request })),
        attributes: {
          'messaging.system': 'bullmq',
          'messaging.destination.name': USAGE_QUEUE,
          'messaging.batch.message_count': posted.length,
        },
      },
      ROOT_CONTEXT,
    );
    const links = [{ context: batch.spanContext() }];
    for (const { posting, request } of traced) {
      const attributes = {
        'tollgate.request_id': posting.event.request_id,
        'tollgate.ledger.number': posting.number,
        'tollgate.charge_usd': formatUsd(posting.costPico),
      };
      tracer
        .startSpan(
          'post to ledger',
          { kind: SpanKind.CONSUMER, startTime: beganAt, links, attributes },
          under(request),
        )
        .end(endedAt);
    }
    batch.end(endedAt);
  };
