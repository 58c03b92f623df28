import type { Migrations } from '@tollgate/platform/process';
import { PG_KEEP_ALIVE } from '@tollgate/platform/sql';
import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.ts';
import { UserEntity } from '../accounts/user.entity.ts';
import { SessionEntity } from '../auth/session.entity.ts';
import { ApiKeyEntity } from '../keys/api-key.entity.ts';

/** A pool of connections: how many, and how long what it runs may take. Times are in milliseconds; 0 is for ever. */
interface Pool {
  readonly poolSize: number;
  readonly statement_timeout: number;
  /** How long a statement may wait for a lock that somebody holds. */
  readonly lock_timeout?: number;
  /** How long whoever wants a connection waits for one. */
  readonly connectionTimeoutMillis?: number;
  /** A process that is frozen in the middle of a transaction gives its locks back after this. */
  readonly idle_in_transaction_session_timeout?: number;
}

const FROZEN_MS = 60_000;

/**
 * Work of one kind never waits for a connection that work of another kind holds: a slow report leaves look-ups of keys
 * alone, and so does a journal that somebody holds. docs/operations.md adds them up.
 */
const POOLS = {
  /** Keys, sessions, credit and readiness: what a request of a customer waits for. */
  lookups: {
    poolSize: 6,
    statement_timeout: 5_000,
    lock_timeout: 2_000,
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: FROZEN_MS,
  },
  /** What people and the service itself change: keys, accounts, people, claims of exports. */
  changes: {
    poolSize: 6,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    connectionTimeoutMillis: 15_000,
    idle_in_transaction_session_timeout: FROZEN_MS,
  },
  /** A process has one batch of usage at a time under way; what people enter takes turns with it. */
  journal: {
    poolSize: 4,
    statement_timeout: 60_000,
    lock_timeout: 20_000,
    connectionTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: FROZEN_MS,
  },
  /** What reads much: lists, statements, summaries, audits, closings. */
  reports: {
    poolSize: 8,
    statement_timeout: 60_000,
    lock_timeout: 20_000,
    connectionTimeoutMillis: 60_000,
    idle_in_transaction_session_timeout: FROZEN_MS,
  },
} as const satisfies Record<string, Pool>;

const SINGLE: Pool = { poolSize: 12, statement_timeout: 60_000 };

/** @param migrations what it may run: the service itself runs none. */
export const createDataSource = (
  url: string,
  { poolSize, ...limits }: Pool = SINGLE,
  migrations: Migrations | [] = [],
): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'billing',
    entities: [AccountEntity, UserEntity, SessionEntity, ApiKeyEntity],
    migrations: [...migrations],
    migrationsTableName: 'migration',
    applicationName: 'tollgate-billing',
    poolSize,
    extra: { ...PG_KEEP_ALIVE, ...limits },
  });

/** Billing's connections, by what they are for. */
export type Databases = Readonly<Record<keyof typeof POOLS, DataSource>>;

export async function openDatabases(url: string): Promise<Databases & { close(): Promise<void> }> {
  const open = (pool: Pool) => createDataSource(url, pool).initialize();
  const lookups = await open(POOLS.lookups);
  const changes = await open(POOLS.changes);
  const journal = await open(POOLS.journal);
  const reports = await open(POOLS.reports);
  const all = { lookups, changes, journal, reports };
  return {
    ...all,
    async close() {
      await Promise.all(Object.values(all).map((each) => each.destroy()));
    },
  };
}
