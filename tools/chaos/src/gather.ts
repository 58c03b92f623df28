import type { AnswerOf, ledger } from '@tollgate/api';
import { redisCall, waitFor } from '@tollgate/harness';
import pg from 'pg';
import type { OwnerApi } from './customers.ts';
import type {
  CreditAtRest,
  Customer,
  CustomerEntry,
  PriceList,
  Publication,
  Served,
  UsageRow,
} from './evidence.ts';
import { readPriceList } from './exact-price.ts';
import { numberIn } from './requests.ts';

type Audit = AnswerOf<typeof ledger.auditLedger>;

const AUDITED_WITHIN_MS = 60_000;

/** Answers rows of the books; what it reads through may be a transaction in which somebody cheats. */
export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

export async function withBooks<T>(databaseUrl: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return await work(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
  } finally {
    await client.end();
  }
}

const TOKENS = 'tokens_';
const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8 AS ${column}_ms`;

export async function readUsage(query: Query): Promise<UsageRow[]> {
  const rows = await query(
    `SELECT *, number::text AS number_text, cost_pico::text AS cost, ${ms('occurred_at')}, ${ms('posted_at')} FROM billing.usage`,
  );
  return rows.map((row) => ({
    requestId: String(row['request_id']),
    number: Number(row['number_text']),
    occurredMs: Number(row['occurred_at_ms']),
    isClockWrong: row['claimed_at'] !== null,
    postedMs: Number(row['posted_at_ms']),
    accountId: String(row['account_id']),
    keyId: String(row['key_id']),
    group: String(row['group_name']),
    model: String(row['model']),
    protocol: String(row['protocol']),
    stream: row['stream'] === true,
    version: Number(row['snapshot_version']),
    tokens: tokensOf(row),
    cost: BigInt(String(row['cost'])),
    outcome: String(row['outcome']),
  }));
}

const tokensOf = (row: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(row).flatMap(([column, count]) =>
      column.startsWith(TOKENS) && Number(count) !== 0 ? [[column.slice(TOKENS.length), Number(count)]] : [],
    ),
  );

export const readLostAttempts = async (query: Query): Promise<ReadonlySet<string>> =>
  new Set(
    (await query('SELECT request_id FROM billing.lost_attempt')).map((row) => String(row['request_id'])),
  );

export async function readEntries(query: Query): Promise<CustomerEntry[]> {
  const rows = await query(
    `SELECT number::text, (number - numbers + 1)::text AS first, kind IN ('usage', 'lost_attempt') AS is_of_requests,
       substring(ledger_account FROM 10) AS account_id, amount_pico::text, ${ms('posted_at')}
     FROM billing.ledger_entry JOIN billing.ledger_transaction USING (number) WHERE ledger_account LIKE 'customer:%'`,
  );
  return rows.map((row) => ({
    number: Number(row['number']),
    accountId: String(row['account_id']),
    amount: BigInt(String(row['amount_pico'])),
    firstNumber: Number(row['first']),
    isOfRequests: row['is_of_requests'] === true,
    postedMs: Number(row['posted_at_ms']),
  }));
}

/** The numbers of all versions; where PostgreSQL or Redis came back they go on far above the last one. */
export async function readVersions(query: Query): Promise<number[]> {
  const rows = await query('SELECT version FROM pricing.snapshot ORDER BY version');
  return rows.map(({ version }) => Number(version));
}

/** The prices of these versions, as the public sees them. */
export async function readPrices(
  baseUrl: string,
  versions: readonly number[],
): Promise<{ prices: Map<number, PriceList>; publications: Publication[] }> {
  const prices = new Map<number, PriceList>();
  const publications: Publication[] = [];
  for (const version of versions) {
    let answer = await fetch(`${baseUrl}/api/pricing?version=${version}`);
    for (; answer.status === 429; answer = await fetch(answer.url)) {
      await answer.text();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the prices of version ${version}: ${answer.status} ${text}`);
    prices.set(version, readPriceList(text));
    const published = Date.parse((JSON.parse(text) as { published_at: string }).published_at);
    publications.push({ version, fromMs: published, toMs: published });
  }
  return { prices, publications };
}

interface ServedBySimulator {
  readonly at_ms: number;
  readonly asked: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number };
}

export async function readServed(simulatorUrl: string): Promise<Served[]> {
  const answer = await fetch(`${simulatorUrl}/__sim/served`);
  const served = (await answer.json()) as readonly ServedBySimulator[];
  return served.flatMap(({ at_ms, asked, usage: { input, output, cacheRead } }) => {
    const n = numberIn(asked);
    const usage = { input: input - cacheRead, cache_read: cacheRead, output };
    return n === undefined ? [] : [{ n, atMs: at_ms, usage }];
  });
}

/** What Redis has of those who are limited; a scope that is not there was not asked for since Redis lost it. */
export async function readCredit(redisPort: number, customers: readonly Customer[]): Promise<CreditAtRest[]> {
  const found: CreditAtRest[] = [];
  for (const { accountId, keyId, mode, budget } of customers) {
    const scopes = [
      ...(mode === 'prepaid' ? [`account:${accountId}`] : []),
      ...(budget === undefined ? [] : [`key:${keyId}:total`]),
    ];
    for (const scope of scopes) {
      const key = `tollgate:credit:{${scope}}`;
      const left = await redisCall(redisPort, 'HGET', key, 'left');
      const held = await redisCall(redisPort, 'HGET', key, 'held');
      if (left !== '') found.push({ scope, left: BigInt(left), held: BigInt(held || '0') });
    }
  }
  return found;
}

export async function readHolds(redisPort: number): Promise<readonly string[]> {
  const answer = await redisCall(redisPort, 'HKEYS', 'tollgate:holds');
  return answer.split('\r\n').filter((line) => line !== '' && !/^[*$]/.test(line));
}

/** Has billing audit all of its ledger, and answers what it finds. */
export async function readAudit(owner: OwnerApi): Promise<readonly string[]> {
  const { id } = await owner.call<Audit>('POST', '/api/ledger/audits', { from_start: true });
  const audit = await waitFor(
    async () => {
      const now = await owner.call<Audit>('GET', `/api/ledger/audits/${id}`);
      return now.ended_at !== null && now;
    },
    'the end of the audit',
    AUDITED_WITHIN_MS,
  );
  if (audit.verified) return [];
  const [first] = audit.differences;
  return [
    `${audit.difference_count} differences are found by the audit of the ledger (${JSON.stringify(first)})`,
  ];
}
