import { z } from 'zod';
import { databaseUrl } from './config.ts';
import type { Logger } from './logging.ts';
import { column, readRow, requireRow, type SqlRunner } from './sql.ts';

/** What a migration reads: it has rights that the service must not have. */
export const migrationShape = {
  DATABASE_URL: databaseUrl.describe('`postgres://` of the role that owns the schema'),
  SERVICE_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      "The service's own `DATABASE_URL`: its role is made where the owner may make roles, and gets what the service needs; without it the service connects as the owner",
    ),
};

/** What a service may do with the tables of its schema: neither empty them, nor change them, nor switch triggers off. */
const TABLE_RIGHTS = 'SELECT, INSERT, UPDATE, DELETE';

/**
 * Lets a service use the schemas that the connected role has just migrated, as a role of its own that owns nothing: who
 * takes the service over can't switch off the triggers that keep the books append-only. The role is made where the
 * connected one may make roles, with the password of the address.
 *
 * @param serviceUrl the `postgres://` address that the service connects with.
 * @throws when that role is missing and can't be made, or could do more than a service needs.
 */
export async function admitServiceRole(
  runs: SqlRunner,
  schemas: readonly string[],
  serviceUrl: string,
): Promise<void> {
  const { username, password } = new URL(serviceUrl);
  const role = decodeURIComponent(username);
  await makeRole(runs, role, decodeURIComponent(password));
  await requireHarmless(runs, role);
  for (const schema of schemas) {
    for (const grant of [
      'GRANT USAGE ON SCHEMA %1$I TO %2$I',
      `GRANT ${TABLE_RIGHTS} ON ALL TABLES IN SCHEMA %1$I TO %2$I`,
      'GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA %1$I TO %2$I',
      'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %1$I TO %2$I',
      // What a function of ours makes later, such as the partition of a month.
      `ALTER DEFAULT PRIVILEGES IN SCHEMA %1$I GRANT ${TABLE_RIGHTS} ON TABLES TO %2$I`,
      'ALTER DEFAULT PRIVILEGES IN SCHEMA %1$I GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO %2$I',
    ])
      await runFormatted(runs, grant, [schema, role]);
  }
}

const connectedRow = z.object({
  exists: column.boolean,
  can_make: column.boolean,
  /** From PostgreSQL 16 on, who may make roles changes only those that it made itself or was given. */
  can_change: column.boolean,
  name: column.text,
});

async function makeRole(runs: SqlRunner, role: string, password: string): Promise<void> {
  const connected = await requireRow(
    runs,
    connectedRow,
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists, rolsuper OR rolcreaterole AS can_make,
       rolsuper OR rolcreaterole AND (current_setting('server_version_num')::int < 160000 OR EXISTS (
         SELECT FROM pg_roles r WHERE r.rolname = $1 AND pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION'))) AS can_change,
       current_user AS name
     FROM pg_roles WHERE rolname = current_user`,
    [role],
  );
  if (connected.name === role)
    throw new Error(`SERVICE_DATABASE_URL names "${role}", who migrates: services need a role of their own`);
  if (connected.exists ? connected.can_change : connected.can_make) {
    const verb = connected.exists ? 'ALTER' : 'CREATE';
    await runFormatted(runs, `${verb} ROLE %1$I LOGIN PASSWORD %2$L`, [role, password]);
  } else if (!connected.exists) {
    throw new Error(
      `there is no role "${role}", and this one may make none: CREATE ROLE "${role}" LOGIN PASSWORD '...'`,
    );
  }
}

async function requireHarmless(runs: SqlRunner, role: string): Promise<void> {
  if (await isTooPowerful(runs, role))
    throw new Error(
      `the role "${role}" owns tables, is a member of another role, or may make roles: services need one that owns nothing`,
    );
}

const powerRow = z.object({ powerful: column.boolean });

/** Whether a role owns tables, or could get at what others own: the one that is connected, unless another is named. */
async function isTooPowerful(runs: SqlRunner, role?: string): Promise<boolean> {
  const found = await readRow(
    runs,
    powerRow,
    `SELECT r.rolsuper OR r.rolcreaterole OR r.rolreplication
       OR EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)
       OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid) AS powerful
     FROM pg_roles r WHERE r.rolname = coalesce($1, current_user)`,
    [role ?? null],
  );
  return found?.powerful !== false;
}

/** Warns where a service is connected as a role that could do more than it needs. */
export async function warnOfPowerfulRole(runs: SqlRunner, logger: Logger): Promise<void> {
  if (await isTooPowerful(runs))
    logger.warn(
      { event: 'database_role_too_powerful' },
      'the database role owns tables or may do more than this service needs: see "Who owns the tables" in docs/operations.md',
    );
}

const formattedRow = z.object({ sql: column.text });

/** PostgreSQL quotes: `%1$I` is a name, `%2$L` a text. */
async function runFormatted(runs: SqlRunner, template: string, values: readonly string[]): Promise<void> {
  const { sql } = await requireRow(runs, formattedRow, 'SELECT format($1, VARIADIC $2::text[]) AS sql', [
    template,
    values,
  ]);
  await runs.query(sql);
}
