import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { createDataSource } from '../src/database/data-source.ts';

/** A scan of a table or an index, as the database did it. */
export interface Scan {
  readonly kind: string;
  readonly table: string;
  /** That it found, and that it looked at for nothing. */
  readonly found: number;
  readonly removed: number;
}

/** A statement that ran: one that was sent, or one within a function or a trigger. */
export interface Ran {
  readonly statement: string;
  /** Those that were begun at all. */
  readonly scans: readonly Scan[];
  /** The most rows that it put in order as a whole: what comes in order is sorted by groups, which does not count. */
  readonly sorted: number;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** Connections that run what they are given as ever, and keep how the database ran each statement. */
export interface Explainer {
  readonly database: DataSource;
  /** A connection of pg's own, as exports have. */
  connect(): Promise<pg.Client>;
  /** What has ended since the last call. Within a transaction a statement ends when the next one begins. */
  ran(): Ran[];
  /** The scans of all of that. */
  scans(): Scan[];
  stop(): Promise<void>;
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  // What is logged as a notice is told to who sent the statement.
  'auto_explain.log_level': 'notice',
  client_min_messages: 'notice',
};

/**
 * The plans are those of the statements that the code sends, with their values, as they run: of prepared ones, of those that are
 * read row by row, and of those within functions and triggers.
 *
 * @param url as superuser.
 * @param nested whether statements within functions are kept too: an audit has a hundred thousand that ask for a month.
 */
export async function startExplaining(url: string, { nested = true } = {}): Promise<Explainer> {
  let seen: Ran[] = [];
  const heard = new WeakSet<pg.Client>();
  const hear = (client: pg.Client): void => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on('notice', ({ message = '' }) => {
      const [, json] = /^duration: .* plan:\n(.*)$/s.exec(message) ?? [];
      if (json === undefined) return;
      const { 'Query Text': statement, Plan } = JSON.parse(json) as { 'Query Text': string; Plan: Node };
      seen.push({ statement, scans: listScans(Plan), sorted: sortedIn(Plan) });
    });
  };
  const options = Object.entries({ ...SETTINGS, 'auto_explain.log_nested_statements': nested })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const asked = createDataSource(url);
  const database = await asked
    .setOptions({ extra: { ...(asked.options.extra as object), options } })
    .initialize();
  (database.driver as PostgresDriver).master.on('acquire', hear);
  const clients: pg.Client[] = [];
  const ran = (): Ran[] => {
    const all = seen;
    seen = [];
    return all;
  };
  return {
    database,
    async connect() {
      const client = new pg.Client({ connectionString: url, options });
      await client.connect();
      hear(client);
      clients.push(client);
      return client;
    },
    ran,
    scans: () => ran().flatMap(({ scans }) => scans),
    async stop() {
      await Promise.all([database.destroy(), ...clients.map((client) => client.end())]);
    },
  };
}

/**
 * Lets the planner count so many times the rows of the log and the ledger than it did, and as many more on a page: it chooses
 * the plans of books of that size.
 *
 * @param named a regular expression: of some tables alone, as those that were counted at another moment.
 */
export async function believeInMoreRows(
  database: DataSource,
  times: number,
  named = '^(usage_|ledger_|account_hour)',
): Promise<void> {
  await database.query(
    `UPDATE pg_class SET reltuples = reltuples * $1::real
     WHERE relnamespace = 'billing'::regnamespace AND relname ~ $2 AND reltuples > 0`,
    [times, named],
  );
}

/** What was done to tables that grow with each request. */
export function sumWork(ran: readonly Ran[]) {
  const scans = ran.flatMap((each) => each.scans);
  const countRows = (named: RegExp) => rowsRead(scans.filter(({ table }) => named.test(table)));
  return {
    /** Rows that were looked at in each. */
    rows: {
      log: countRows(LOG),
      transactions: countRows(/^ledger_transaction$/),
      entries: countRows(/^ledger_entry$/),
      hours: countRows(/^(usage|account|served)_hour$/),
      months: countRows(/^(usage|ledger)_month$/),
    },
    whole: readWhole(scans.filter(({ table }) => LARGE.test(table))).map(({ table }) => table),
    sorted: Math.max(0, ...ran.map((each) => each.sorted)),
  };
}
const LOG = /^usage_(\d|default)/;
const LARGE = new RegExp(`${LOG.source}|^ledger_(transaction|entry)$|^(usage|account)_hour$`);

/** Rows that were looked at. */
export const rowsRead = (scans: readonly Scan[]): number =>
  scans.reduce((total, { found, removed }) => total + found + removed, 0);

/** Scans that looked at the rows of a table one after the other. */
export const readWhole = (scans: readonly Scan[]): Scan[] =>
  scans.filter(({ kind, found, removed }) => kind === 'Seq Scan' && found + removed > 0);

const listNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

const listScans = (plan: Node): Scan[] =>
  listNodes(plan).flatMap((node) => {
    const { 'Node Type': kind, 'Relation Name': table, 'Actual Loops': loops } = node;
    // What writes into a table names it as well.
    if (table === undefined || kind === 'ModifyTable' || loops === 0) return [];
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    return [{ kind, table, found: node['Actual Rows'] * loops, removed: removed * loops }];
  });

const sortedIn = (plan: Node): number =>
  Math.max(
    0,
    ...listNodes(plan)
      .filter((node) => node['Node Type'] === 'Sort' && node['Actual Loops'] > 0)
      .map(({ Plans: [from] = [] }) => from?.['Actual Rows'] ?? 0),
  );
