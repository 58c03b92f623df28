import pg from 'pg';

/**
 * Everything that is in the books and in the catalogue: a digest of the rows of each table, by the table's name.
 */
export async function readPicture(databaseUrl: string): Promise<Readonly<Record<string, string>>> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname IN ('billing', 'billing_archive', 'pricing') ORDER BY 1`,
    );
    const picture: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ digest: string }>(
        `SELECT count(*) || ' rows ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS digest
         FROM ${name} t`,
      );
      picture[name] = rows[0]?.digest ?? '';
    }
    return picture;
  } finally {
    await client.end();
  }
}

/** Where each sequence stands. After a crash one may be ahead, by what the server had set aside; it is never behind. */
export async function readSequences(databaseUrl: string): Promise<ReadonlyMap<string, bigint>> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; last: string | null }>(
      `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last FROM pg_sequences
       WHERE schemaname IN ('billing', 'pricing') ORDER BY 1`,
    );
    return new Map(rows.map(({ name, last }) => [name, BigInt(last ?? 0)]));
  } finally {
    await client.end();
  }
}
