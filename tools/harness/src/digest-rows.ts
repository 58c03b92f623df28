import pg from 'pg';

/**
 * A digest of the rows of each table of a schema, by the table's name. The table in which TypeORM keeps what it ran is left
 * out; partitions are part of their table.
 *
 * @param columns by table: the digest is over these; without it, over all that there are.
 */
export async function digestRows(
  url: string,
  schema: string,
  columns?: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const digests: Record<string, string> = {};
    for (const [table, names] of Object.entries(columns ?? (await readColumns(client, schema)))) {
      const { rows } = await client.query<{ digest: string }>(
        `SELECT count(*) || ' ' || md5(coalesce(string_agg(line, E'\\n' ORDER BY line), '')) AS digest
         FROM (SELECT ROW(${names})::text AS line FROM ${schema}.${table}) AS lines`,
      );
      digests[table] = rows[0]?.digest ?? '';
    }
    return digests;
  } finally {
    await client.end();
  }
}

/** The columns of each table of a schema, as a list that a SELECT takes. */
export async function listColumns(url: string, schema: string): Promise<Record<string, string>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await readColumns(client, schema);
  } finally {
    await client.end();
  }
}

async function readColumns(client: pg.Client, schema: string): Promise<Record<string, string>> {
  const { rows } = await client.query<{ table: string; columns: string }>(
    `SELECT c.relname AS table, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> 'migration' GROUP BY 1 ORDER BY 1`,
    [schema],
  );
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}
