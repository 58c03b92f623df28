import pg from 'pg';

/** What PostgreSQL takes in one statement. */
const MAX_PARAMETERS = 65_535;
const TABLES = ['ledger_transaction', 'ledger_entry', 'usage'] as const;

type Row = Readonly<Record<string, string | null>>;
type Rows = Readonly<Record<(typeof TABLES)[number], readonly Row[]>>;

/** Tables like billing's, with the same columns, constraints and indices, and without triggers and partitions. */
export async function copyTables(client: pg.Client): Promise<void> {
  await client.query('CREATE SCHEMA bench');
  for (const table of TABLES)
    await client.query(`CREATE TABLE bench.${table} (LIKE billing.${table} INCLUDING ALL)`);
  // Each month has it.
  await client.query('CREATE UNIQUE INDEX ON bench.usage (request_id)');
}

/** The rows that were posted after a number, every value as PostgreSQL writes it. */
export async function rowsAfter(url: string, number: number): Promise<Rows> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: () => (value: string) => value },
  });
  await client.connect();
  const read = async (table: string) =>
    (await client.query<Row>(`SELECT * FROM billing.${table} WHERE number > $1 ORDER BY number`, [number]))
      .rows;
  try {
    return {
      ledger_transaction: await read('ledger_transaction'),
      ledger_entry: await read('ledger_entry'),
      usage: await read('usage'),
    };
  } finally {
    await client.end();
  }
}

interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** Multi-row INSERTs of the rows, made ready beforehand. */
export function toInserts(rows: Rows): Statement[] {
  return TABLES.flatMap((table) => {
    const columns = Object.keys(rows[table][0] ?? {});
    const max = Math.floor(MAX_PARAMETERS / Math.max(1, columns.length));
    return toChunks(rows[table], max).map((chunk) => ({
      text: `INSERT INTO bench.${table} (${columns.join(', ')}) VALUES ${chunk
        .map((_row, at) => `(${columns.map((_name, i) => `$${at * columns.length + i + 1}`).join(', ')})`)
        .join(', ')}`,
      values: chunk.flatMap((row) => columns.map((name) => row[name] ?? null)),
    }));
  });
}

/** Runs the statements in one transaction. */
export async function insertBare(client: pg.Client, statements: readonly Statement[]): Promise<void> {
  await client.query('BEGIN');
  for (const { text, values } of statements) await client.query(text, [...values]);
  await client.query('COMMIT');
}

const toChunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
