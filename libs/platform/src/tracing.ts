import { hostname } from 'node:os';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import type { Logger } from './logging.ts';
import { tellsFailures } from './tracing-failures.ts';
import { VERSION } from './version.ts';

interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

interface Tracing {
  readonly tracer: Tracer;
  /** Sends what is left, for as long as that takes a collector that answers. */
  close(): Promise<void>;
}

/** Spans leave together, this often. */
const EXPORT_MS = 1_000;
const CLOSE_MAX_MS = 2_000;
/** What callers write may be in an attribute. */
const VALUE_MAX_LENGTH = 512;

/**
 * Traces to an OTLP collector; undefined where none is named: nothing is loaded then, and nothing is made per request.
 * `edge` services take a share of the traces that begin there or that callers ask for; a service `inside` takes what was
 * taken before it. A collector that takes nothing is in the log, once a minute at most; the spans are lost.
 */
export async function startTracing(
  service: string,
  config: TracingConfig,
  place: 'edge' | 'inside',
  logger: Logger,
): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const share = new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'tollgate',
      'service.version': VERSION,
      // A pod's name, or a machine's, and which of its processes.
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    sampler: new sdk.ParentBasedSampler(
      place === 'edge' ? { root: share, remoteParentSampled: share } : { root: new sdk.AlwaysOnSampler() },
    ),
    spanLimits: { attributeValueLengthLimit: VALUE_MAX_LENGTH },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: tellsFailures(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), logger),
        scheduledDelayMillis: EXPORT_MS,
      }),
    ],
  });
  return {
    tracer: provider.getTracer(`tollgate-${service}`),
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MAX_MS)));
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The span that a `traceparent` header names; undefined for what is none. */
export function readTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** What is under a remote span; a trace of its own where there is none. */
export const under = (span: SpanContext | undefined): Context =>
  span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;

/** What tells another service of a span. */
export const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
