import { TOKEN_KINDS } from '@tollgate/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import type { KeyChanges } from '../keys/key-changes.ts';
import type { Posting } from './posting.ts';

export interface Rejected {
  readonly requestId: string | null;
  readonly reason: string;
  readonly event: unknown;
}

/** The columns of `billing.usage`, their types and what of a posting stands in them. */
const COLUMNS: readonly (readonly [name: string, type: string, value: (posting: Posting) => unknown])[] = [
  ['request_id', 'text', ({ event }) => event.request_id],
  ['occurred_at', 'timestamptz', ({ event }) => event.occurred_at],
  ['account_id', 'uuid', ({ event }) => event.account_id],
  ['key_id', 'uuid', ({ event }) => event.key_id],
  ['group_name', 'text', ({ event }) => event.group],
  ['model', 'text', ({ event }) => event.model],
  ['upstream', 'text', ({ event }) => event.upstream],
  ['upstream_model', 'text', ({ event }) => event.upstream_model],
  ['protocol', 'text', ({ event }) => event.protocol],
  ['stream', 'boolean', ({ event }) => event.stream],
  ['snapshot_version', 'int', ({ event }) => event.snapshot_version],
  ['group_ratio', 'text', ({ groupRatio }) => groupRatio],
  ...TOKEN_KINDS.map(
    (kind) => [`tokens_${kind}`, 'bigint', ({ event }: Posting) => event.tokens[kind] ?? 0] as const,
  ),
  ['cost_pico', 'numeric', ({ costPico }) => costPico.toString()],
  ['usage_source', 'text', ({ event }) => event.usage_source],
  ['outcome', 'text', ({ event }) => event.outcome],
  ['http_status', 'int', ({ event }) => event.http_status],
  ['latency_ms', 'int', ({ event }) => event.latency_ms],
  ['first_byte_ms', 'int', ({ event }) => event.first_byte_ms],
];

const INSERT_USAGE = `
  INSERT INTO billing.usage (${COLUMNS.map(([name]) => name).join(', ')})
  SELECT * FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id`;

const INSERT_LEDGER = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::text[], $5::numeric[])
      AS row (request_id, account_id, occurred_at, ledger_account, amount_pico)
  ), made AS (
    INSERT INTO billing.ledger_transaction (kind, request_id, account_id, occurred_at)
    SELECT DISTINCT ON (request_id) 'usage', request_id, account_id, occurred_at FROM given ORDER BY request_id
    RETURNING id, request_id
  )
  INSERT INTO billing.ledger_entry (transaction_id, ledger_account, amount_pico)
  SELECT made.id, given.ledger_account, given.amount_pico FROM given JOIN made USING (request_id)`;

/** Keys are locked in the order of their ids, so that two batches never wait for each other in a circle. */
const UPDATE_KEYS = `
  WITH spent AS (
    SELECT * FROM unnest($1::uuid[], $2::numeric[], $3::timestamptz[]) AS row (id, cost, used_at)
  ), locked AS (
    SELECT k.id, k.budget_pico, k.spent_pico FROM billing.api_key k
    WHERE k.id IN (SELECT id FROM spent) ORDER BY k.id FOR NO KEY UPDATE
  )
  UPDATE billing.api_key k SET
    spent_pico = k.spent_pico + spent.cost,
    last_used_at = greatest(k.last_used_at, spent.used_at),
    revision = k.revision + (locked.budget_pico IS NOT NULL AND locked.spent_pico < locked.budget_pico
      AND locked.spent_pico + spent.cost >= locked.budget_pico)::int
  FROM spent JOIN locked USING (id) WHERE k.id = spent.id
  RETURNING k.key_hash, (locked.budget_pico IS NOT NULL AND locked.spent_pico < locked.budget_pico
    AND locked.spent_pico + spent.cost >= locked.budget_pico) AS exhausted`;

/** Rows are inserted in the order of their ids: batches that share some wait for each other, never in a circle. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Writes postings in one transaction. A request id that is posted already is passed over: its usage row is the
 * guarantee that nothing posts twice. Answers how many were new.
 */
export async function postBatch(
  database: DataSource,
  changes: KeyChanges,
  postings: readonly Posting[],
  rejected: readonly Rejected[],
): Promise<number> {
  const byId = new Map(postings.map((posting) => [posting.event.request_id, posting]));
  const unique = [...byId.values()].sort((a, b) => inOrder(a.event.request_id, b.event.request_id));
  let exhausted = false;
  const posted = await database.transaction(async (manager) => {
    await reject(
      manager,
      rejected.toSorted((a, b) => inOrder(a.requestId ?? '', b.requestId ?? '')),
    );
    if (unique.length === 0) return 0;
    const columns = COLUMNS.map(([, , value]) => unique.map(value));
    const inserted: { request_id: string }[] = await manager.query(INSERT_USAGE, columns);
    const ids = new Set(inserted.map(({ request_id }) => request_id));
    const fresh = unique.filter(({ event }) => ids.has(event.request_id));
    await writeLedger(manager, fresh);
    const hashes = await chargeKeys(manager, fresh);
    await changes.note(manager, hashes);
    exhausted = hashes.length > 0;
    return fresh.length;
  });
  if (exhausted) void changes.announce();
  return posted;
}

async function writeLedger(manager: EntityManager, postings: readonly Posting[]): Promise<void> {
  const rows = postings.flatMap(({ event, entries }) => entries.map((entry) => ({ event, entry })));
  if (rows.length === 0) return;
  await manager.query(INSERT_LEDGER, [
    rows.map(({ event }) => event.request_id),
    rows.map(({ event }) => event.account_id),
    rows.map(({ event }) => event.occurred_at),
    rows.map(({ entry }) => entry.ledgerAccount),
    rows.map(({ entry }) => entry.amountPico.toString()),
  ]);
}

/** Adds what was spent to the keys; answers the hashes of those that crossed their budget with it. */
async function chargeKeys(manager: EntityManager, postings: readonly Posting[]): Promise<string[]> {
  if (postings.length === 0) return [];
  const byKey = new Map<string, { cost: bigint; usedAt: string }>();
  for (const { event, costPico } of postings) {
    const sum = byKey.get(event.key_id);
    byKey.set(event.key_id, {
      cost: (sum?.cost ?? 0n) + costPico,
      usedAt: sum && sum.usedAt > event.occurred_at ? sum.usedAt : event.occurred_at,
    });
  }
  const sums = [...byKey];
  const [rows]: [{ key_hash: string; exhausted: boolean }[]] = await manager.query(UPDATE_KEYS, [
    sums.map(([id]) => id),
    sums.map(([, { cost }]) => cost.toString()),
    sums.map(([, { usedAt }]) => usedAt),
  ]);
  return rows.filter(({ exhausted }) => exhausted).map(({ key_hash }) => key_hash);
}

async function reject(manager: EntityManager, rejected: readonly Rejected[]): Promise<void> {
  if (rejected.length === 0) return;
  await manager.query(
    `INSERT INTO billing.usage_rejected (request_id, reason, event)
     SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[]) ON CONFLICT (request_id) DO NOTHING`,
    [
      rejected.map(({ requestId }) => requestId),
      rejected.map(({ reason }) => reason),
      rejected.map(({ event }) => JSON.stringify(event)),
    ],
  );
}
