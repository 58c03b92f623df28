import pg from 'pg';

interface Books {
  readonly rows: number;
  /** Of answers that clients left. */
  readonly leftRows: number;
  readonly lostAttempts: number;
  /** What should not be, in words; nothing when the books are right. */
  readonly findings: readonly string[];
}

/** Each query counts what should not be. */
const NEVER: Readonly<Record<string, string>> = {
  'requests have more than one usage row':
    'SELECT count(*) FROM (SELECT 1 FROM billing.usage GROUP BY request_id HAVING count(*) > 1) AS twice',
  'usage rows have no ledger transaction': `SELECT count(*) FROM billing.usage u WHERE NOT EXISTS (
    SELECT FROM billing.ledger_transaction t WHERE t.number = u.number AND t.request_id = u.request_id)`,
  'ledger transactions of usage have no usage row': `SELECT count(*) FROM billing.ledger_transaction t
    WHERE t.kind = 'usage' AND NOT EXISTS (SELECT FROM billing.usage u WHERE u.number = t.number)`,
  'ledger transactions do not sum to zero': `SELECT count(*) FROM (
    SELECT 1 FROM billing.ledger_entry GROUP BY number HAVING sum(amount_pico) <> 0) AS unequal`,
  'usage rows cost something else than their entries say': `SELECT count(*) FROM billing.usage u WHERE u.cost_pico <> (
    SELECT coalesce(-sum(e.amount_pico), 0) FROM billing.ledger_entry e
    WHERE e.number = u.number AND e.ledger_account = 'customer:' || u.account_id)`,
  'lost attempts have no ledger transaction': `SELECT count(*) FROM billing.lost_attempt l WHERE NOT EXISTS (
    SELECT FROM billing.ledger_transaction t
    WHERE t.number = l.number AND t.request_id = l.request_id AND t.kind = 'lost_attempt')`,
  'ledger transactions of lost attempts have no row': `SELECT count(*) FROM billing.ledger_transaction t
    WHERE t.kind = 'lost_attempt' AND NOT EXISTS (SELECT FROM billing.lost_attempt l WHERE l.number = t.number)`,
  'lost attempts cost something else than their entries say': `SELECT count(*) FROM billing.lost_attempt l
    WHERE coalesce(l.upstream_cost_pico, 0) <> (SELECT coalesce(sum(e.amount_pico), 0) FROM billing.ledger_entry e
      WHERE e.number = l.number AND e.ledger_account = 'payable:' || l.upstream)`,
  'customers pay for lost attempts': `SELECT count(*) FROM billing.ledger_transaction t JOIN billing.ledger_entry e USING (number)
    WHERE t.kind = 'lost_attempt' AND e.ledger_account !~ '^(cost|payable):'`,
  'numbers are missing': `SELECT (SELECT last_number FROM billing.journal) - count(*) FROM billing.ledger_transaction`,
  'balances are not the fold of their entries': `SELECT count(*) FROM billing.account_balance b
    FULL JOIN (SELECT substring(ledger_account FROM 10)::uuid AS account_id, sum(amount_pico) AS fold
      FROM billing.ledger_entry WHERE ledger_account LIKE 'customer:%' GROUP BY 1) f USING (account_id)
    WHERE coalesce(b.balance_pico, 0) <> coalesce(f.fold, 0)`,
  'keys have spent something else than their usage rows say': `SELECT count(*) FROM billing.api_key k
    LEFT JOIN (SELECT key_id, sum(cost_pico) AS cost FROM billing.usage GROUP BY 1) u ON u.key_id = k.id
    WHERE k.spent_pico <> coalesce(u.cost, 0)`,
  'events were rejected': 'SELECT count(*) FROM billing.usage_rejected',
};

/** Audits the books against themselves and against what clients have. */
export async function checkBooks(databaseUrl: string, answered: readonly string[]): Promise<Books> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const count = async (sql: string, values: unknown[] = []) =>
    Number(Object.values((await client.query<Record<string, string>>(sql, values)).rows[0] ?? {})[0]);
  try {
    const findings: string[] = [];
    const found = (number: number, what: string) => {
      if (number !== 0) findings.push(`${number} ${what}`);
    };
    for (const [what, sql] of Object.entries(NEVER)) found(await count(sql), what);
    found(
      await count(
        `SELECT count(*) FROM unnest($1::text[]) AS id WHERE id NOT IN (SELECT request_id FROM billing.usage)`,
        [answered],
      ),
      'answered requests have no usage row',
    );
    return {
      rows: await count('SELECT count(*) FROM billing.usage'),
      leftRows: await count(`SELECT count(*) FROM billing.usage WHERE outcome = 'client_aborted'`),
      lostAttempts: await count('SELECT count(*) FROM billing.lost_attempt'),
      findings,
    };
  } finally {
    await client.end();
  }
}
