import { createHash } from 'node:crypto';
import { type Counts, METER_KINDS } from '@tollgate/vocabulary';
import type { Statement, StatementLine } from './statement.ts';
import { PAGE_WORDS, type PageLanguage, type PageWords } from './statement-words.ts';

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
.pad { visibility: hidden; }
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

const count = (value: number): string => value.toLocaleString('en-US');
const cell = (value: string | number): string => `<td>${escaped(value)}</td>`;
const numberCell = (value: string): string => `<td class="number">${escaped(value)}</td>`;

const countPlaces = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** Cells of amounts whose points stand under one another. */
function toAmountCell(amounts: readonly string[]): (amount: string) => string {
  const places = Math.max(...amounts.map(countPlaces));
  return (amount) => {
    const pad = '0'.repeat(places - countPlaces(amount));
    return `<td class="number">${escaped(amount)}${pad === '' ? '' : `<span class="pad" aria-hidden="true">${pad}</span>`}</td>`;
  };
}

const countsText = ({ tokens, units }: StatementLine, words: PageWords): string => {
  const counts: Counts = { ...tokens, ...units };
  return METER_KINDS.flatMap((kind) => {
    const counted = counts[kind];
    return counted === undefined
      ? []
      : [`${words.meterKinds[kind] ?? kind.replaceAll('_', ' ')} ${count(counted)}`];
  }).join(words.comma);
};

/** A statement as one page to print, with the figures of the JSON form. */
export function statementPage(statement: Statement, language: PageLanguage): string {
  const { account, from, to, time_zone } = statement;
  const words = PAGE_WORDS[language];
  const title = `${words.title} ${statement.month}`;
  const statusNote =
    statement.status === 'closed'
      ? words.closed(statement.hash ?? '')
      : words.open(statement.as_of_number ?? 0);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)} – ${escaped(account.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(account.name)}</p>
<p class="fine">${escaped(words.span({ id: account.id, from, to, zone: time_zone }))}</p>
${toUsageTable(statement, words)}
${toBalanceTable(statement, words)}
<p class="fine">${escaped(words.rounding)}</p>
<p class="fine">${escaped(statusNote)}</p>
</body>
</html>
`;
}

function toUsageTable({ lines, usage_usd, usage_rounded_usd }: Statement, words: PageWords): string {
  const amountCell = toAmountCell([...lines.map(({ cost_usd }) => cost_usd), usage_usd]);
  const rows = lines.map(
    (line) =>
      `<tr>${cell(line.model)}${numberCell(count(line.requests))}${cell(countsText(line, words))}${amountCell(line.cost_usd)}</tr>`,
  );
  return `<h2>${words.usage}</h2>
<table>
<thead><tr><th>${words.model}</th><th class="number">${words.requests}</th><th>${words.counts}</th><th class="number">${words.cost}</th></tr></thead>
<tbody>
${rows.join('\n')}
<tr class="total"><td colspan="3">${words.usageTotal}</td>${amountCell(usage_usd)}</tr>
<tr><td colspan="3">${words.rounded}</td>${amountCell(usage_rounded_usd)}</tr>
</tbody>
</table>`;
}

function toBalanceTable(statement: Statement, words: PageWords): string {
  const { movements, opening_balance_usd, closing_balance_usd } = statement;
  const used = negated(statement.usage_usd);
  const amounts = movements.map(({ amount_usd }) => amount_usd);
  const amountCell = toAmountCell([opening_balance_usd, used, ...amounts, closing_balance_usd]);
  const rows = movements.map(
    ({ kind, transactions, amount_usd }) =>
      `<tr>${cell(words.movements[kind] ?? kind)}${numberCell(count(transactions))}${amountCell(amount_usd)}</tr>`,
  );
  return `<h2>${words.balance}</h2>
<table>
<thead><tr><th>${words.what}</th><th class="number">${words.transactions}</th><th class="number">${words.amount}</th></tr></thead>
<tbody>
<tr><td colspan="2">${words.opening}</td>${amountCell(opening_balance_usd)}</tr>
<tr><td colspan="2">${words.usage}</td>${amountCell(used)}</tr>
${rows.join('\n')}
<tr class="total"><td colspan="2">${words.closing}</td>${amountCell(closing_balance_usd)}</tr>
<tr><td colspan="2">${words.rounded}</td>${amountCell(statement.closing_balance_rounded_usd)}</tr>
</tbody>
</table>`;
}

const negated = (usd: string): string =>
  /^0(\.0+)?$/.test(usd) ? usd : usd.startsWith('-') ? usd.slice(1) : `-${usd}`;
