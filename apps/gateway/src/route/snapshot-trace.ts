import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { readTraceparent, under, writeTraceparent } from '@tollgate/platform';

/** The span of a gateway that takes prices up because somebody has published them. */
interface SnapshotTrace {
  /** Names it to pricing, which is asked for them. */
  readonly traceparent: string;
  ended(version: number | undefined, error?: Error): void;
}

/** Goes on in the trace of a publication; undefined where that is not traced, or not in this gateway's share. */
export function traceSnapshot(
  tracer: Tracer | undefined,
  publication: string | undefined,
): SnapshotTrace | undefined {
  const parent = readTraceparent(publication);
  if (!tracer || !parent) return undefined;
  const span = tracer.startSpan('take prices', { kind: SpanKind.CONSUMER }, under(parent));
  if (!span.isRecording()) return undefined;
  return {
    traceparent: writeTraceparent(span.spanContext()),
    ended(version, error) {
      if (version !== undefined) span.setAttribute('tollgate.snapshot.version', version);
      if (error) {
        span.setAttribute('error.type', error.name);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
