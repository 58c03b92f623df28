import { createHash } from 'node:crypto';
import { type Counts, METER_KINDS } from '@tollgate/vocabulary';
import type { Statement, StatementLine } from './statement.ts';

const STYLE = `
@page { size: A4; margin: 18mm 16mm; }
body { font: 10pt/1.45 system-ui, sans-serif; color: #111; max-width: 178mm; margin: 0 auto; padding: 1rem; }
h1 { font-size: 16pt; margin: 0 0 .2rem; }
h2 { font-size: 11pt; margin: 1.4rem 0 .3rem; }
p { margin: .1rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .4rem .25rem 0; border-bottom: .5pt solid #bbb; vertical-align: top; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.total td, .total th { border-top: 1pt solid #111; font-weight: 600; }
.fine { color: #555; font-size: 8pt; overflow-wrap: anywhere; }
@media print { body { padding: 0; max-width: none; } }
`;

/** Nothing but the page's own style may load or run. */
export const STATEMENT_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (value: string | number): string =>
  String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const KINDS: Readonly<Record<string, string>> = {
  payment: 'Payments',
  grant: 'Credit granted',
  redemption: 'Codes redeemed',
  refund: 'Refunds',
  payout: 'Paid out',
  correction: 'Corrections',
  adjustment: 'Adjustments',
  write_off: 'Written off',
};

const count = (value: number): string => value.toLocaleString('en-US');
const cell = (value: string | number): string => `<td>${escaped(value)}</td>`;
const numberCell = (value: string): string => `<td class="number">${escaped(value)}</td>`;

const countsText = ({ tokens, units }: StatementLine): string => {
  const counts: Counts = { ...tokens, ...units };
  return METER_KINDS.flatMap((kind) => {
    const counted = counts[kind];
    return counted === undefined ? [] : [`${kind.replaceAll('_', ' ')} ${count(counted)}`];
  }).join(', ');
};

const lineRow = (line: StatementLine): string =>
  `<tr>${cell(line.model)}${numberCell(count(line.requests))}${cell(countsText(line))}${numberCell(line.cost_usd)}</tr>`;

/** A statement as one page to print, with the figures of the JSON form. */
export function statementPage(statement: Statement): string {
  const { account, lines, movements } = statement;
  const statusNote =
    statement.status === 'closed'
      ? `Closed. SHA-256 of the period: ${statement.hash}`
      : `Open: figures as of ledger transaction ${statement.as_of_number}, and they may change.`;
  const movementRows = movements.map(
    ({ kind, transactions, amount_usd }) =>
      `<tr>${cell(KINDS[kind] ?? kind)}${numberCell(count(transactions))}${numberCell(amount_usd)}</tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Statement ${escaped(statement.month)} – ${escaped(account.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Statement ${escaped(statement.month)}</h1>
<p>${escaped(account.name)}</p>
<p class="fine">Account ${escaped(account.id)}. From ${escaped(statement.from)} to ${escaped(statement.to)} (a month in ${escaped(statement.time_zone)}). All amounts in USD.</p>
<h2>Usage</h2>
<table>
<thead><tr><th>Model</th><th class="number">Requests</th><th>Tokens and units</th><th class="number">Cost</th></tr></thead>
<tbody>
${lines.map(lineRow).join('\n')}
<tr class="total"><td colspan="3">Usage in all</td>${numberCell(statement.usage_usd)}</tr>
</tbody>
</table>
<h2>Balance</h2>
<table>
<thead><tr><th>What</th><th class="number">Transactions</th><th class="number">Amount</th></tr></thead>
<tbody>
<tr><td colspan="2">Opening balance</td>${numberCell(statement.opening_balance_usd)}</tr>
<tr><td colspan="2">Usage</td>${numberCell(negated(statement.usage_usd))}</tr>
${movementRows.join('\n')}
<tr class="total"><td colspan="2">Closing balance</td>${numberCell(statement.closing_balance_usd)}</tr>
</tbody>
</table>
<p class="fine">${escaped(statusNote)}</p>
</body>
</html>
`;
}

const negated = (usd: string): string =>
  /^0(\.0+)?$/.test(usd) ? usd : usd.startsWith('-') ? usd.slice(1) : `-${usd}`;
