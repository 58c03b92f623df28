import { OLDEST_POSTGRES } from '@tollgate/platform/sql';
import pg from 'pg';
import { toReason } from '../failure.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { skewFinding } from './skew.ts';

const SCHEMAS = ['billing', 'pricing'] as const;
const MAY_NOT = '42501';

/** Version, migrations, privileges and clock of the database. */
export async function checkPostgres(url: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    return [
      fail(
        'PostgreSQL',
        toReason(error as Error),
        'Check DATABASE_URL, that the server runs, and its pg_hba.conf.',
      ),
    ];
  }
  try {
    const asked = Date.now();
    const { rows } = await client.query<{ version: string; number: number; now: Date }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         clock_timestamp() AS now`,
    );
    const answered = Date.now();
    const [server] = rows;
    return [
      (server?.number ?? 0) >= OLDEST_POSTGRES * 10_000
        ? ok('PostgreSQL', server?.version ?? '')
        : fail('PostgreSQL', server?.version ?? '', `It must be ${OLDEST_POSTGRES} or newer.`),
      skewFinding('PostgreSQL', asked, server?.now.getTime() ?? 0, answered),
      ...(await Promise.all(SCHEMAS.map((schema) => checkSchema(client, schema)))).flat(),
    ];
  } finally {
    await client.end();
  }
}

async function checkSchema(client: pg.Client, schema: string): Promise<Finding[]> {
  const migrated = await client
    .query<{ name: string; count: number }>(
      `SELECT count(*) OVER ()::int AS count, name FROM ${schema}.migration ORDER BY id DESC LIMIT 1`,
    )
    .catch((error: Error) => error);
  const advice = `Run the migrations of ${schema}: node apps/${schema}/bundle/migrate.js.`;
  if (migrated instanceof pg.DatabaseError && migrated.code === MAY_NOT)
    return [
      warn(
        `migrations of ${schema}`,
        `not looked at: ${migrated.message}`,
        "Give DATABASE_URL of the role that owns the tables: a service's own role sees one schema.",
      ),
    ];
  if (migrated instanceof Error) return [fail(`migrations of ${schema}`, migrated.message, advice)];
  const [last] = migrated.rows;
  if (!last) return [fail(`migrations of ${schema}`, 'none was made', advice)];
  const { rows } = await client.query<{ relation: string }>(
    `SELECT c.relname AS relation FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
       AND NOT has_table_privilege(c.oid, 'SELECT, INSERT') ORDER BY 1`,
    [schema],
  );
  return [
    ok(`migrations of ${schema}`, `${last.count} made, the last ${last.name}`),
    rows.length === 0
      ? ok(`privileges on ${schema}`, 'every table may be read and written to')
      : warn(
          `privileges on ${schema}`,
          `none to read and insert on ${rows.map(({ relation }) => relation).join(', ')}`,
          `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${schema} to the user of DATABASE_URL, if a service uses it.`,
        ),
  ];
}
