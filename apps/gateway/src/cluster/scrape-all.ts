import type { Registry } from 'prom-client';
import { mergeMetrics } from './merge-metrics.ts';
import { type ToProcess, type ToSupervisor, unheard } from './messages.ts';

/** A supervisor that does not answer is gone, and this process is about to end. */
const PATIENCE_MS = 3_000;

/** A page of metrics, as Prometheus asks for it. */
type MetricsPage = Pick<Registry, 'contentType' | 'metrics'>;

/**
 * The metrics of all processes behind the port: a scrape reaches one of them, and no other is ever asked. Those of a
 * process that does not answer within two seconds are left out.
 */
export function scrapeAll(own: Registry): MetricsPage {
  const waiting = new Map<number, (pages: readonly string[]) => void>();
  let scrapes = 0;
  const tell = (message: ToSupervisor): void => void process.send?.(message, unheard);

  process.on('message', (message: ToProcess) => {
    if (message.kind === 'pages') waiting.get(message.scrape)?.(message.pages);
    if (message.kind === 'page-requested')
      void own.metrics().then((page) => tell({ kind: 'page', question: message.question, page }), unheard);
  });

  return {
    contentType: own.contentType,
    async metrics() {
      const scrape = (scrapes += 1);
      const { promise, resolve } = Promise.withResolvers<readonly string[]>();
      const timer = setTimeout(() => resolve([]), PATIENCE_MS);
      waiting.set(scrape, resolve);
      tell({ kind: 'scrape', scrape });
      const pages = await promise;
      clearTimeout(timer);
      waiting.delete(scrape);
      return mergeMetrics(pages.length > 0 ? pages : [await own.metrics()]);
    },
  };
}
