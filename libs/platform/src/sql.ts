import { z } from 'zod';

/** The oldest major version whose SQL ours is. */
export const OLDEST_POSTGRES = 15;

/**
 * Of every connection to PostgreSQL: the system asks by and by whether the other end is there. Where a machine or a wire is gone while an
 * answer is due, nobody says so, and the limits of statements are kept by the one that is gone: the answer would be waited for for
 * ever. It does not help where something that was sent has not arrived: the system sends that again for a quarter of an hour.
 */
export const PG_KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** Whatever runs SQL: a connection, a transaction, or the driver's own client. */
export interface SqlRunner {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** What node-postgres makes of the types of our columns. */
export const column = {
  text: z.string(),
  /** As PostgreSQL takes it: of any version. */
  uuid: z.guid(),
  /** `int`, and `count(*)::int`. */
  int: z.int(),
  /** `bigint` and `numeric(38, 0)`, sums and counts: a text of digits, because a JavaScript number cannot hold them all. */
  bigint: z.string().regex(/^-?\d+$/),
  /** `float8`. */
  float: z.number(),
  boolean: z.boolean(),
  timestamp: z.date(),
};

/**
 * The only way in which rows come out of the database but for entities and streams: each row is held to a schema, so that
 * its type is what PostgreSQL answered and not what somebody wrote beside the query.
 *
 * @param schema of one row, made once and not at each call; columns that it does not name are left out.
 */
export async function readRows<Row>(
  runner: SqlRunner,
  schema: z.ZodType<Row>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const answer = await runner.query(text, [...values]);
  return takeRows(answer).map((row) => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return parsed.data;
    throw new Error(
      `A row is not what was expected: ${z.prettifyError(parsed.error)}\nof ${text.replace(/\s+/g, ' ').trim().slice(0, 200)}`,
    );
  });
}

/** The first row, where there is one. */
export async function readRow<Row>(
  runner: SqlRunner,
  schema: z.ZodType<Row>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [row] = await readRows(runner, schema, text, values);
  return row;
}

/** The row of a query that always has one, such as a sum of everything. */
export async function requireRow<Row>(
  runner: SqlRunner,
  schema: z.ZodType<Row>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const row = await readRow(runner, schema, text, values);
  if (row === undefined)
    throw new Error(`There is no row of ${text.replace(/\s+/g, ' ').trim().slice(0, 200)}`);
  return row;
}

/** Whether a query has any row. */
export const hasRows = async (
  runner: SqlRunner,
  text: string,
  values: readonly unknown[] = [],
): Promise<boolean> => takeRows(await runner.query(text, [...values])).length > 0;

/** Runs an UPDATE or a DELETE, and answers how many rows it changed. */
export async function countChanged(
  runner: SqlRunner,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const answer = await runner.query(text, [...values]);
  if (Array.isArray(answer) && typeof answer[1] === 'number') return answer[1];
  throw new Error(
    `Only an UPDATE or a DELETE counts what it changed, and this is ${text.trim().slice(0, 60)}`,
  );
}

/**
 * TypeORM answers an UPDATE and a DELETE with their rows and how many they are, everything else with its rows; the driver
 * itself answers with an object that has rows.
 */
function takeRows(answer: unknown): unknown[] {
  const rows = Array.isArray(answer) ? (answer as unknown[]) : (answer as { rows: unknown[] }).rows;
  const [first] = rows;
  return Array.isArray(first) ? (first as unknown[]) : rows;
}
