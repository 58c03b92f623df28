import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from './logging.ts';

/** As long as spans cannot be sent it is said this often, and not for every second's batch. */
const SAY_AGAIN_MS = 60_000;

/**
 * An exporter that says in the log that spans could not be sent: the first time at once, then once a minute with how
 * many were lost since, and when they are sent again.
 */
export function tellsFailures(
  exporter: SpanExporter,
  logger: Pick<Logger, 'warn' | 'info'>,
  now: () => number = () => performance.now(),
): SpanExporter {
  let saidAt: number | undefined;
  let lost = 0;
  const failed = (spans: number, reason: string | undefined) => {
    lost += spans;
    if (saidAt !== undefined && now() - saidAt < SAY_AGAIN_MS) return;
    saidAt = now();
    logger.warn(
      { event: 'trace_export_failed', reason, spans: lost },
      'traces cannot be sent to the collector',
    );
    lost = 0;
  };
  const succeeded = () => {
    if (saidAt === undefined) return;
    logger.info({ event: 'trace_export_restored', spans: lost }, 'traces are sent to the collector again');
    saidAt = undefined;
    lost = 0;
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code === 0) succeeded();
        else failed(spans.length, result.error?.message);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
