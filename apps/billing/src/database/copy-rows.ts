import { once } from 'node:events';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';

type Value = string | number | bigint | boolean | null;

/** A column of a table and what of a row stands in it. */
export type Columns<Row> = readonly (readonly [name: string, value: (row: Row) => Value])[];

/** Writes rows by COPY, within the manager's transaction: the fastest way in that PostgreSQL has. */
export async function copyRows<Row>(
  manager: EntityManager,
  table: string,
  columns: Columns<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const client: unknown = await manager.queryRunner?.connect();
  if (!(client instanceof pg.Client)) throw new Error('rows are copied within a transaction of pg');
  const lines = rows.map((row) => columns.map(([, value]) => written(value(row))).join('\t'));
  const copy = client.query(from(`COPY ${table} (${columns.map(([name]) => name).join(', ')}) FROM STDIN`));
  copy.end(`${lines.join('\n')}\n`);
  await once(copy, 'finish');
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const TO_ESCAPE = /[\\\t\n\r]/;
const ALL_TO_ESCAPE = new RegExp(TO_ESCAPE, 'g');

/** PostgreSQL's text format of COPY. Nearly nothing is escaped: to look first is twice as fast as to replace. */
function written(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  if (!TO_ESCAPE.test(value)) return value;
  return value.replace(ALL_TO_ESCAPE, (character) => ESCAPED[character] ?? character);
}
