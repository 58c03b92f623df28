/** Somebody changes the books behind the back of the programs; each is done in a transaction and taken back. */
interface Tampering {
  readonly name: string;
  readonly sql: string;
  /** What the audit must say of it. */
  readonly finding: string;
}

/** Rows of customers who waited for their whole answers: what these were told is certain. */
const SURE = `(SELECT request_id FROM billing.usage WHERE outcome = 'completed' AND cost_pico > 0
  AND account_id = (SELECT id FROM billing.account WHERE name = 'open') ORDER BY request_id LIMIT 1)`;
const PREPAID = `(SELECT id FROM billing.account WHERE name = 'prepaid')`;
const numberOf = (id: string) =>
  `(SELECT min(number) FROM billing.ledger_transaction WHERE number >= (SELECT number FROM billing.usage WHERE request_id = ${id} LIMIT 1))`;
const copyWith = (change: string) => `
  CREATE TEMPORARY TABLE copied ON COMMIT DROP AS SELECT * FROM billing.usage WHERE request_id = ${SURE};
  UPDATE copied SET ${change}; INSERT INTO billing.usage SELECT * FROM copied`;

export const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'tokens are doubled',
    sql: `UPDATE billing.usage SET tokens_output = tokens_output * 2 WHERE request_id = ${SURE}`,
    finding: 'whole answers are billed by other tokens than they say',
  },
  {
    name: 'a price is raised',
    sql: `UPDATE billing.usage SET cost_pico = cost_pico + 1 WHERE request_id = ${SURE}`,
    finding: 'usage rows cost something else than the public prices say',
  },
  {
    name: 'an event is lost',
    sql: `DELETE FROM billing.usage WHERE request_id = ${SURE}`,
    finding: 'answered requests have no usage row',
  },
  {
    name: 'an event is there twice',
    // A month refuses it: it is in another one.
    sql: copyWith(`occurred_at = occurred_at + interval '1 month'`),
    finding: 'requests have more than one usage row',
  },
  {
    name: 'an event is there again under another id',
    sql: copyWith(`request_id = 'another-id'`),
    // It may pass for the request of a client that left without an id; nobody paid for it all the same.
    finding: 'usage rows cost something else than the ledger says',
  },
  {
    name: 'another group',
    sql: `UPDATE billing.usage SET group_name = 'vip' WHERE request_id = ${SURE}`,
    finding: 'usage rows name another account, key, group',
  },
  {
    name: 'another version',
    sql: `UPDATE billing.usage SET snapshot_version = 999 WHERE request_id = ${SURE}`,
    finding: 'requests are priced by a version that did not hold',
  },
  {
    name: 'a prepaid account is overdrawn',
    sql: `UPDATE billing.ledger_entry SET amount_pico = amount_pico - 1000000000000
      WHERE ledger_account = 'customer:' || ${PREPAID} AND amount_pico < 0`,
    finding: 'prepaid accounts were below zero',
  },
  {
    name: 'a clock of 2036 is believed',
    sql: `UPDATE billing.usage SET occurred_at = '2036-01-01' WHERE request_id = ${SURE}`,
    finding: 'requests are booked at a moment at which they did not happen',
  },
  {
    name: 'the ledger took something else',
    sql: `UPDATE billing.ledger_entry SET amount_pico = amount_pico - 1 WHERE number = ${numberOf(SURE)}
      AND ledger_account LIKE 'customer:%'`,
    finding: 'usage rows cost something else than the ledger says',
  },
  {
    name: 'the cost of an attempt is forgotten',
    sql: 'DELETE FROM billing.lost_attempt',
    finding: 'attempts that the upstream broke off are no cost',
  },
  {
    name: 'a customer pays for an attempt that brought nothing',
    sql: `INSERT INTO billing.ledger_entry SELECT t.number, 'customer:' || l.account_id, -5 FROM billing.lost_attempt l
      JOIN billing.ledger_transaction t ON t.kind = 'lost_attempt' AND l.number BETWEEN t.number - t.numbers + 1 AND t.number LIMIT 1`,
    finding: 'the ledger took money for what is no request',
  },
  {
    name: 'a budget is ignored',
    sql: `UPDATE billing.usage SET cost_pico = cost_pico + 1000000000000
      WHERE account_id = (SELECT id FROM billing.account WHERE name = 'budgeted')`,
    finding: 'keys spent more than their budgets',
  },
];
