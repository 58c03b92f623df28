// What docs/scale.md is worked out from. Each figure was measured; put new ones in and run `npm run bench -- scale --write`.

interface Figure {
  readonly what: string;
  /** Microseconds of CPU of a chat request of 1 KB. */
  readonly us: number;
  /** What it was measured with. */
  readonly from: string;
}

export const CPU = {
  gateway: { what: 'gateway', us: 183, from: '`bench -- relay`, one process' },
  redis: {
    what: 'Redis: limits, the queue, and what billing asks of it',
    us: 13,
    from: 'the same and `bench -- posting`, 10 and 3',
  },
  billing: {
    what: 'billing, in batches that are full',
    us: 25,
    from: '`bench -- posting`, three billings, warm',
  },
  postgres: { what: 'PostgreSQL', us: 32, from: 'the same' },
} as const satisfies Record<string, Figure>;

/** Of what PostgreSQL does, that in which no other batch ends: microseconds of time. */
export const TURN: Figure = {
  what: 'of that the turn in which no other batch ends, by the time',
  us: 18,
  from: '`bench -- posting --profile`, its statements: sums 13.3, order of keys 1.5, transactions 2.0, clocks and credit 1.4',
};

/** Bytes on the disk, with indices. */
export const EVENT_BYTES = 1_100;

/** How much of the time cores are busy. */
export const BUSY = 0.7;
export const CORES_OF_NODE = 4;
/** Of everything there are two at the least, also where one would do. */
export const LEAST_NODES = 2;

/** USD. */
export const PRICES = { coreHour: 0.04, gigabyteMonth: 0.1 };

/** Requests a second. */
export const RATES = [1_000, 10_000, 100_000, 1_000_000] as const;
