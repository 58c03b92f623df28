import type { Statement } from '../../api/statements.ts';

type Cell = string | number;

const HEADER = ['account_id', 'account', 'month', 'status', 'item', 'name', 'count', 'amount_usd'];

/** A statement as a table: what the month began with, its usage by model, what else moved the balance, what was left. */
export function toStatementCsv({
  account,
  month,
  status,
  opening_balance_usd,
  lines,
  movements,
  closing_balance_usd,
}: Statement): string {
  const rows: readonly (readonly Cell[])[] = [
    ['opening_balance', '', '', opening_balance_usd],
    ...lines.map(({ model, requests, cost_usd }) => ['usage', model, requests, negated(cost_usd)]),
    ...movements.map(({ kind, transactions, amount_usd }) => ['movement', kind, transactions, amount_usd]),
    ['closing_balance', '', '', closing_balance_usd],
  ];
  const common = [account.id, account.name, month, status];
  return [HEADER, ...rows.map((row) => [...common, ...row])]
    .map((row) => row.map(quote).join(',') + '\r\n')
    .join('');
}

/** Usage is taken from the balance: the amounts of a statement add up. */
const negated = (amount: string): string =>
  /^0(?:\.0+)?$/.test(amount) ? amount : amount.startsWith('-') ? amount.slice(1) : `-${amount}`;

/** RFC 4180; what a spreadsheet would take for a formula is told by a leading apostrophe. */
function quote(cell: Cell): string {
  const text = typeof cell === 'string' && /^[=+@\t\r]|^-\D/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
