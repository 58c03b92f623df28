import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

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

/** One series of a histogram. */
interface Observations {
  observe(value: number): void;
}

/** As {@link createTally}, of a histogram: what is observed is two numbers that are added to. */
export function createHistogramTally<L extends string>(
  registry: Registry,
  { labelNames = [], name, help, buckets }: MetricName<L> & { readonly buckets: readonly number[] },
): { of(labels: Readonly<Record<L, string>>): Observations } {
  const series: CountedSeries[] = [];
  const options = { name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] };
  const values = () => series.flatMap((each) => each.values(name));
  new ScrapedHistogram(options, () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: values(),
  }));
  return {
    of(labels) {
      const made = new CountedSeries(labels, buckets);
      series.push(made);
      return made;
    },
  };
}

class ScrapedHistogram extends Histogram {
  readonly #read: () => object;

  constructor(options: ConstructorParameters<typeof Histogram>[0], read: () => object) {
    super(options);
    this.#read = read;
  }

  /** Whence the client has a histogram's values, in every form that it writes them. */
  getForPromString(): Promise<object> {
    return Promise.resolve(this.#read());
  }
}

class CountedSeries implements Observations {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #bounds: readonly number[];
  /** By the bound that a value lies at or below, and behind them by none. */
  readonly #counts: number[];
  #sum = 0;

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** As Prometheus' client has them: each bucket with all below it. */
  values(name: string): object[] {
    const sharedLabels = this.#labels;
    let below = 0;
    const buckets = this.#counts.map((count, at) => ({
      labels: { le: this.#bounds[at] ?? '+Inf' },
      sharedLabels,
      value: (below += count),
      metricName: `${name}_bucket`,
    }));
    return [
      ...buckets,
      { labels: {}, sharedLabels, value: this.#sum, metricName: `${name}_sum` },
      { labels: {}, sharedLabels, value: below, metricName: `${name}_count` },
    ];
  }
}
