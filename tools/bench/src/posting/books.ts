import type pg from 'pg';

/** How far the books go. */
export const lastNumber = async (client: pg.Client): Promise<number> =>
  Number(
    (await client.query<{ last_number: string }>('SELECT last_number FROM billing.journal')).rows[0]
      ?.last_number,
  );

/** Bytes on the disk of what grows with each event, with indices, by table. */
export async function sizesOfBooks(client: pg.Client): Promise<Readonly<Record<string, number>>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(`
    SELECT CASE WHEN relname LIKE 'usage_%' THEN 'usage' ELSE relname END AS name,
      sum(pg_total_relation_size(oid)) AS bytes
    FROM pg_class WHERE relnamespace = 'billing'::regnamespace AND relkind = 'r'
      AND relname ~ '^(usage_[0-9d]|ledger_transaction$|ledger_entry$)' GROUP BY 1 ORDER BY 1`);
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

export const bytesOfBooks = async (client: pg.Client): Promise<number> =>
  Object.values(await sizesOfBooks(client)).reduce((sum, each) => sum + each, 0);
