import { formatUsd, parseUsd } from '@tollgate/money';
import type { Statement } from '../../api/statements.ts';
import { toStatementCsv } from './statement-csv.ts';

const statement: Statement = {
  account: { id: '01a209cc-f68d-73b0-8a19-ac700191f4ff', name: '=1+1, "Acme"' },
  month: '2026-10',
  time_zone: 'UTC',
  from: '2026-10-01T00:00:00Z',
  to: '2026-11-01T00:00:00Z',
  status: 'closed',
  hash: null,
  as_of_number: null,
  opening_balance_usd: '10',
  lines: [{ model: 'large', requests: 3, tokens: {}, units: {}, cost_usd: '2.000000000001' }],
  usage_usd: '2.000000000001',
  usage_rounded_usd: '2.00',
  movements: [{ kind: 'payment', transactions: 1, amount_usd: '5' }],
  closing_balance_usd: '12.999999999999',
  closing_balance_rounded_usd: '13.00',
};
const rows = toStatementCsv(statement).trimEnd().split('\r\n');
const amounts = rows.slice(1).map((row) => row.split(',').at(-1) ?? '');

test('each row has the account, the month and what it is', () => {
  expect(rows[0]).toBe('account_id,account,month,status,item,name,count,amount_usd');
  expect(rows[2]?.endsWith('2026-10,closed,usage,large,3,-2.000000000001')).toBe(true);
  expect(rows).toHaveLength(5);
});

test('the amounts add up to the last digit', () => {
  const [opening = '', usage = '', payment = '', closing = ''] = amounts;
  expect(formatUsd([opening, usage, payment].reduce((sum, amount) => sum + parseUsd(amount), 0n))).toBe(
    formatUsd(parseUsd(closing)),
  );
});

test('names are quoted, and none is a formula of a spreadsheet', () => {
  expect(rows[1]).toContain(`"'=1+1, ""Acme"""`);
});
