import {
  BUSY,
  CORES_MIN,
  CORES_OF_NODE,
  DISK_BYTES,
  NODES_MIN,
  POSTGRES_COPIES,
  PRICES,
  RETENTION_DAYS,
} from './assumptions.ts';
import { type BookCost, BOOKS, GATEWAY, LIMITS, toTurnUs, TURN } from './measured.ts';

const SECONDS_OF_DAY = 86_400;

/** What a rate needs. */
interface Need {
  /** Of what the rate asks of each deployment. */
  readonly books: BookCost;
  /** Cores that are busy for {@link BUSY} of the time, by what runs on them. */
  readonly cores: Readonly<Record<'gateway' | 'redis' | 'billing' | 'postgres', number>>;
  /** Each with a PostgreSQL and a journal of its own. */
  readonly deployments: number;
  /** Of each deployment. */
  readonly redisServers: number;
  /** Cores that are kept, for all deployments. */
  readonly kept: number;
  readonly nodes: number;
  readonly terabytesADay: number;
  readonly terabytes: number;
  /** Of the log of PostgreSQL, which backups keep. */
  readonly logADay: number;
  readonly writtenASecond: number;
  /** USD of a million requests. */
  readonly computing: number;
  readonly diskMonth: number;
}

const toCores = (rate: number, us: number): number => (rate * us) / 1e6 / BUSY;

/** What was measured at the largest rate that is no larger: batches are no fuller than that. */
export const findBooks = (rate: number): BookCost =>
  BOOKS.findLast((each) => each.rate <= rate) ?? (BOOKS[0] as BookCost);

const toCoresOf = (rate: number, books: BookCost): Need['cores'] => ({
  gateway: toCores(rate, GATEWAY.us),
  redis: toCores(rate, LIMITS.us + books.redis),
  billing: toCores(rate, books.billing),
  postgres: toCores(rate, books.postgres),
});

/** @param rate requests a second. */
export function computeNeed(rate: number): Need {
  const deployments = Math.ceil(toCores(rate, toTurnUs(TURN)));
  const books = findBooks(rate / deployments);
  const cores = toCoresOf(rate, books);
  const redisServers = Math.ceil(cores.redis / deployments);
  const kept =
    Math.max(cores.gateway, CORES_MIN.gateway * deployments) +
    Math.max(cores.billing, CORES_MIN.billing * deployments) +
    CORES_MIN.pricing * deployments +
    CORES_MIN.redis * redisServers * deployments +
    Math.max(cores.postgres, CORES_MIN.postgres * deployments) * POSTGRES_COPIES;
  const nodes = Math.max(Math.ceil(kept / CORES_OF_NODE), NODES_MIN);
  const terabytesADay = (rate * books.kept * SECONDS_OF_DAY) / 1e12;
  return {
    books,
    cores,
    deployments,
    redisServers,
    kept,
    nodes,
    terabytesADay,
    terabytes: terabytesADay * RETENTION_DAYS,
    logADay: (rate * books.log * SECONDS_OF_DAY) / 1e12,
    writtenASecond: (rate * books.written) / 1e6,
    computing: (nodes * CORES_OF_NODE * PRICES.coreHour * 1e6) / (rate * 3_600),
    diskMonth: ((books.kept * 1e6) / 1e9) * PRICES.gigabyteMonth,
  };
}

/** What a single deployment has one of, and how much of it a rate takes: more than 1 is more than there is. */
export function computeUse(rate: number): (readonly [what: string, share: number])[] {
  const books = findBooks(rate);
  const cores = toCoresOf(rate, books);
  const uses: (readonly [string, number])[] = [
    ['the disk', (rate * books.kept * SECONDS_OF_DAY * RETENTION_DAYS) / DISK_BYTES],
    ['the turn of the journal', toCores(rate, toTurnUs(TURN))],
    [`PostgreSQL's ${CORES_OF_NODE} cores`, cores.postgres / CORES_OF_NODE],
    ["Redis' core", cores.redis],
  ];
  return uses.toSorted(([, a], [, b]) => b - a);
}
