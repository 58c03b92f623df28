import pg from 'pg';

interface Books {
  readonly rows: number;
  /** Of answers that clients left. */
  readonly leftRows: number;
  readonly lostAttempts: number;
  /** What should not be, in words; nothing when the books are right. */
  readonly findings: readonly string[];
}

/** Each number of the ledger with its transaction: one of many requests has a number for each. */
const NUMBERS = `(SELECT t.number, t.kind, t.account_id, n
  FROM billing.ledger_transaction t, generate_series(t.number - t.numbers + 1, t.number) AS n) AS t`;

/** Each query counts what should not be. */
const NEVER: Readonly<Record<string, string>> = {
  'requests have more than one usage row':
    'SELECT count(*) FROM (SELECT 1 FROM billing.usage GROUP BY request_id HAVING count(*) > 1) AS twice',
  'usage rows have no ledger transaction': `SELECT count(*) FROM billing.usage u
    WHERE NOT EXISTS (SELECT FROM ${NUMBERS} WHERE n = u.number AND kind = 'usage' AND t.account_id = u.account_id)`,
  'requests of ledger transactions have no usage row': `SELECT count(*) FROM ${NUMBERS}
    WHERE kind = 'usage' AND NOT EXISTS (SELECT FROM billing.usage u WHERE u.number = n)`,
  'usage rows share a number': 'SELECT count(*) - count(DISTINCT number) FROM billing.usage',
  'ledger transactions do not sum to zero': `SELECT count(*) FROM (
    SELECT 1 FROM billing.ledger_entry GROUP BY number HAVING sum(amount_pico) <> 0) AS unequal`,
  'ledger accounts have something else than the rows of their transactions say': `SELECT count(*) FROM (
    SELECT t.number, v.account, sum(v.amount) AS amount FROM billing.usage u
      JOIN ${NUMBERS} ON n = u.number, LATERAL (VALUES
      ('customer:' || u.account_id, -cost_pico), ('revenue:' || vendor, cost_pico),
      ('cost:' || upstream, -upstream_cost_pico), ('payable:' || upstream, upstream_cost_pico)) AS v (account, amount)
    GROUP BY 1, 2) AS used
    FULL JOIN (SELECT number, ledger_account AS account, amount_pico AS amount FROM billing.ledger_entry
      JOIN billing.ledger_transaction USING (number) WHERE kind = 'usage') AS entry USING (number, account)
    WHERE coalesce(used.amount, 0) <> coalesce(entry.amount, 0)`,
  'lost attempts have no ledger transaction': `SELECT count(*) FROM billing.lost_attempt l
    WHERE NOT EXISTS (SELECT FROM ${NUMBERS} WHERE n = l.number AND kind = 'lost_attempt')`,
  'lost attempts of ledger transactions have no row': `SELECT count(*) FROM ${NUMBERS}
    WHERE kind = 'lost_attempt' AND NOT EXISTS (SELECT FROM billing.lost_attempt l WHERE l.number = n)`,
  'lost attempts cost something else than their entries say': `SELECT count(*) FROM (
    SELECT t.number, sum(coalesce(l.upstream_cost_pico, 0)) AS cost FROM billing.lost_attempt l
      JOIN ${NUMBERS} ON n = l.number WHERE kind = 'lost_attempt' GROUP BY 1) AS lost WHERE cost <> (SELECT coalesce(sum(e.amount_pico), 0)
      FROM billing.ledger_entry e WHERE e.number = lost.number AND e.ledger_account LIKE 'payable:%')`,
  'customers pay for lost attempts': `SELECT count(*) FROM billing.ledger_transaction t JOIN billing.ledger_entry e USING (number)
    WHERE t.kind = 'lost_attempt' AND e.ledger_account !~ '^(cost|payable):'`,
  'numbers are missing': `SELECT (SELECT last_number FROM billing.journal) - coalesce(sum(numbers), 0)
    FROM billing.ledger_transaction`,
  'numbers are taken twice': `SELECT count(*) FROM (SELECT number - numbers AS before, lag(number) OVER (ORDER BY number) AS last
    FROM billing.ledger_transaction) AS t WHERE before < last`,
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
