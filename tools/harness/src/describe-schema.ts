import pg from 'pg';

/** Each answers lines: what there is, and all that tells it from another one of its name. */
const DESCRIPTIONS = [
  `SELECT format('schema %s: owner %s, rights %s', nspname, nspowner::regrole, coalesce(nspacl::text, 'default'))
   FROM pg_namespace WHERE nspname = ANY ($1)`,
  `SELECT format('relation %s: kind %s, owner %s, rights %s, options %s, partition %s of %s', c.oid::regclass, c.relkind,
     c.relowner::regrole, coalesce(c.relacl::text, 'default'), coalesce(c.reloptions::text, 'none'),
     coalesce(pg_get_expr(c.relpartbound, c.oid), 'none'), coalesce(pg_get_partkeydef(c.oid), 'none'))
   FROM pg_class c WHERE c.relnamespace = ANY ($1::regnamespace[]) AND c.relname !~ '^migration'`,
  `SELECT format('column %s of %s: %s %s, null %s, default %s, identity %s, rights %s',
     row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum), a.attrelid::regclass, a.attname,
     format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, coalesce(pg_get_expr(d.adbin, d.adrelid), 'none'),
     a.attidentity, coalesce(a.attacl::text, 'default'))
   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = ANY ($1::regnamespace[]) AND c.relkind IN ('r', 'p', 'v') AND c.relname !~ '^migration'`,
  `SELECT format('constraint %s of %s: %s, inherited %s', n.conname, n.conrelid::regclass, pg_get_constraintdef(n.oid),
     n.coninhcount)
   FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
   WHERE n.connamespace = ANY ($1::regnamespace[]) AND c.relname !~ '^migration'`,
  `SELECT format('index: %s', pg_get_indexdef(i.indexrelid)) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
   WHERE c.relnamespace = ANY ($1::regnamespace[]) AND i.indrelid::regclass::text !~ '[.]migration$'`,
  `SELECT format('trigger: %s, enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
   FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
   WHERE c.relnamespace = ANY ($1::regnamespace[]) AND NOT t.tgisinternal`,
  `SELECT format('function: %s, owner %s, rights %s', pg_get_functiondef(p.oid), p.proowner::regrole,
     coalesce(p.proacl::text, 'default'))
   FROM pg_proc p WHERE p.pronamespace = ANY ($1::regnamespace[])`,
  `SELECT format('view %s: %s', c.oid::regclass, pg_get_viewdef(c.oid)) FROM pg_class c
   WHERE c.relnamespace = ANY ($1::regnamespace[]) AND c.relkind IN ('v', 'm')`,
  `SELECT format('sequence %s: %s from %s by %s', s.seqrelid::regclass, s.seqtypid::regtype, s.seqstart, s.seqincrement)
   FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
   WHERE c.relnamespace = ANY ($1::regnamespace[]) AND c.relname !~ '^migration'`,
  `SELECT format('default rights on %s in %s: %s', defaclobjtype, defaclnamespace::regnamespace, defaclacl)
   FROM pg_default_acl WHERE defaclnamespace = ANY ($1::regnamespace[])`,
  `SELECT format('enum %s: %s', e.enumtypid::regtype, string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder))
   FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
   WHERE t.typnamespace = ANY ($1::regnamespace[]) GROUP BY e.enumtypid`,
];

/**
 * What `pg_dump --schema-only` tells of schemas, from the catalogue: the PostgreSQL that tests run has no pg_dump. The table
 * in which TypeORM keeps what it ran is left out, and roles are named without their database.
 */
export async function describeSchema(url: string, schemas: readonly string[]): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // Names are written in full whatever the search path of the session is.
    await client.query("SET search_path = ''");
    const lines: string[] = [];
    for (const description of DESCRIPTIONS) {
      const { rows } = await client.query<[string]>({
        text: description,
        values: [schemas],
        rowMode: 'array',
      });
      lines.push(...rows.map(([line]) => line));
    }
    const database = decodeURIComponent(new URL(url).pathname.slice(1));
    return lines.map((line) => line.replaceAll(`${database}_`, 'role_of_')).sort();
  } finally {
    await client.end();
  }
}
