// What docs/scale.md assumes, beside what was measured. Put your own in and run `npm run bench -- scale --write`.

/** How much of the time cores are busy. */
export const BUSY = 0.7;
export const CORES_OF_NODE = 4;
/** A node may fail. */
export const NODES_MIN = 2;

/** Cores that are kept for what runs, also where it needs less: two gateways, billings and pricings, as `k8s/` asks for each. */
export const CORES_MIN = { gateway: 1, billing: 1, pricing: 0.2, redis: 1, postgres: 2 };
/** Of PostgreSQL there is another that takes over, as large. */
export const POSTGRES_COPIES = 2;

/** Of one PostgreSQL: a volume as large as many clouds have. */
export const DISK_BYTES = 16 * 2 ** 40;
/** How long usage stays at the least: a month, three days until it closes, and one to dump, audit and drop it. */
export const RETENTION_DAYS = 35;

/** USD. */
export const PRICES = { coreHour: 0.04, gigabyteMonth: 0.1 };

/** Requests a second. */
export const RATES = [1_000, 10_000, 100_000, 1_000_000] as const;
