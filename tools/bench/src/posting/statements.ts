import { join } from 'node:path';
import { createDatabase, startPostgres } from '@tollgate/harness';
import pg from 'pg';

/** A PostgreSQL that tells how long each statement took. */
export interface Watched {
  readonly databaseUrl: string;
  /** Forgets what was run so far. */
  reset(): Promise<void>;
  /** The statements that took the most, inner ones of functions and triggers too, as rows of a table. */
  report(events: number): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startWatchedPostgres(home: string, password: string): Promise<Watched> {
  const postgres = await startPostgres({
    directory: join(home, 'postgres'),
    password,
    settings: { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' },
  });
  const databaseUrl = await createDatabase(postgres.url, 'tollgate');
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('CREATE SCHEMA watched');
  await client.query('CREATE EXTENSION pg_stat_statements SCHEMA watched');
  return {
    databaseUrl,
    reset: async () => void (await client.query('SELECT watched.pg_stat_statements_reset()')),
    async report(events) {
      const { rows } = await client.query<{ text: string; calls: string; us: number; inner: boolean }>(
        `SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 100) AS text, calls, NOT toplevel AS inner,
           total_exec_time * 1000 / $1 AS us
         FROM watched.pg_stat_statements ORDER BY total_exec_time DESC LIMIT 24`,
        [events],
      );
      const line = (row: (typeof rows)[number]) =>
        `| ${row.inner ? 'in it: ' : ''}${row.text.replaceAll('|', '\\|')} | ${row.calls} | ${row.us.toFixed(1)} |`;
      return ['| statement | calls | µs an event |', '| --- | ---: | ---: |', ...rows.map(line)];
    },
    async stop() {
      await client.end();
      await postgres.stop();
    },
  };
}
