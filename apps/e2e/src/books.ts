import { waitFor } from '@tollgate/harness';
import pg from 'pg';
import { admin, type TestStack } from './shared-stack.ts';

export type UsageRow = Record<string, unknown> & {
  readonly request_id: string;
  readonly model: string;
  readonly group_name: string;
  readonly group_ratio: string;
  readonly snapshot_version: number;
  readonly cost_pico: string;
  readonly usage_source: string;
  readonly outcome: string;
  readonly stream: boolean;
};

/** Looks into billing's tables, as an auditor would. */
export interface Books {
  /** The row of a request, once it is posted. */
  usage(requestId: string): Promise<UsageRow>;
  /** What the entries of a request's transaction sum to, and how many there are. */
  entriesOf(requestId: string): Promise<{ entries: number; sum: string }>;
  one(sql: string, values?: unknown[]): Promise<Record<string, string>>;
  /** Rows of the usage log. */
  all(sql: string, values: unknown[]): Promise<UsageRow[]>;
  close(): Promise<void>;
}

export function openBooks(databaseUrl: string): Books {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  const one = async (sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows[0];
  return {
    usage: (requestId) =>
      waitFor(
        () =>
          one('SELECT * FROM billing.usage WHERE request_id = $1', [requestId]) as Promise<
            UsageRow | undefined
          >,
        `the usage row of ${requestId}`,
      ),
    entriesOf: (requestId) =>
      one(
        `SELECT count(*)::int AS entries, coalesce(sum(amount_pico), 0)::text AS sum FROM billing.ledger_entry
         WHERE number = (SELECT min(number) FROM billing.ledger_transaction
           WHERE number >= (SELECT number FROM billing.usage WHERE request_id = $1))`,
        [requestId],
      ),
    one,
    all: async (sql, values) => (await pool.query<UsageRow>(sql, values)).rows,
    close: () => pool.end(),
  };
}

/** What a row must cost by the version it names, in pico-USD: tokens times price times ratio, worked out here again. */
export async function expectedCost(at: TestStack, row: UsageRow): Promise<bigint> {
  const { catalogue } = await admin(at, 'GET', `/api/catalogue/versions/${row.snapshot_version}`);
  const prices: Readonly<Record<string, number>> =
    catalogue.models.find(({ name }) => name === row.model)?.prices ?? {};
  const ratio = catalogue.groups.find(({ name }) => name === row.group_name)?.ratio ?? '0';
  const [whole = '0', places = ''] = ratio.split('.');
  let cost = 0n;
  for (const [kind, price] of Object.entries(prices))
    cost += BigInt(String(row[`tokens_${kind}`])) * BigInt(price);
  const scale = 10n ** BigInt(places.length);
  const product = cost * BigInt(whole + places);
  if (product % scale !== 0n) throw new Error('choose prices that need no rounding here');
  return product / scale;
}
