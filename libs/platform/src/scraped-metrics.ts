import { Counter, Gauge, type Registry } from 'prom-client';

/** A value with its labels. */
export type Reading<L extends string> = readonly [labels: Readonly<Record<L, string>>, value: number];

/** A metric without its values; names by the conventions of Prometheus (`_total` for counters, base units). */
interface MetricName<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly L[];
}

/**
 * A metric that is read only when somebody asks for it: what is counted anyway costs nothing in between. A reading that
 * throws leaves the metric without values for that time.
 */
export function readAtScrape<L extends string = never>(
  registry: Registry,
  { labelNames = [], ...named }: MetricName<L> & { readonly kind: 'counter' | 'gauge' },
  read: () => Iterable<Reading<L>> | Promise<Iterable<Reading<L>>>,
): void {
  const options = { name: named.name, help: named.help, labelNames: [...labelNames], registers: [registry] };
  const readings = async (): Promise<Iterable<Reading<L>>> => {
    try {
      return await read();
    } catch {
      return [];
    }
  };
  if (named.kind === 'gauge') {
    new Gauge({
      ...options,
      async collect() {
        const values = await readings();
        this.reset();
        if (labelNames.length > 0) for (const [labels, value] of values) this.set(labels, value);
        else for (const [, value] of values) this.set(value);
      },
    });
    return;
  }
  new Counter({
    ...options,
    async collect() {
      const values = await readings();
      this.reset();
      for (const [labels, value] of values) this.inc(labels, value);
    },
  });
}

/** One series of a counter. */
export interface Count {
  value: number;
}

/** The series of a counter by their labels. */
interface Tally<L extends string> {
  /** A series to keep and to add to: a plain number, so that counting costs no more than that. */
  of(labels: Readonly<Record<L, string>>): Count;
}

/** A counter for where it must cost next to nothing: Prometheus' client sees the numbers when they are asked for. */
export function createTally<L extends string>(registry: Registry, name: MetricName<L>): Tally<L> {
  const series: [Readonly<Record<L, string>>, Count][] = [];
  readAtScrape<L>(registry, { ...name, kind: 'counter' }, () =>
    series.map(([labels, count]): Reading<L> => [labels, count.value]),
  );
  return {
    of(labels) {
      const count = { value: 0 };
      series.push([labels, count]);
      return count;
    },
  };
}
