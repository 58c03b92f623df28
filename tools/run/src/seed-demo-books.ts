import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';

type CallApi = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<unknown>;

const ACCOUNTS = [
  { name: 'Harbour Analytics', mode: 'prepaid', time_zone: 'Europe/Lisbon' },
  { name: 'Blue Lantern Studio', mode: 'postpaid', credit_limit_usd: '500', time_zone: 'Asia/Shanghai' },
  { name: 'Meridian Health', mode: 'postpaid', credit_limit_usd: '25000', time_zone: 'America/New_York' },
  { name: 'Northwind Robotics', mode: 'prepaid', time_zone: 'Europe/Berlin' },
];

const ENTERED = [
  ['payments', 'Northwind Robotics', '4800.00', 'Bank transfer of 3 November'],
  ['grants', 'Northwind Robotics', '250.00', 'Welcome credit'],
  ['adjustments', 'Northwind Robotics', '-12.50', 'Carried over twice'],
  ['payouts', 'Northwind Robotics', '300.00', 'Paid twice by mistake'],
  ['payments', 'Meridian Health', '18250.75', 'Invoice 2026-10'],
  ['payments', 'Harbour Analytics', '600.00', 'Card payment'],
  ['grants', 'Blue Lantern Studio', '40.00', 'Outage of 12 November'],
  ['adjustments', 'Blue Lantern Studio', '-218.3104', 'Usage from before the move'],
] as const;

const DISCOUNTS = [
  ['Meridian Health', [{ models: ['*'], ratio: '0.9' }]],
  [
    'Northwind Robotics',
    [
      { models: ['sim-claude', 'sim-gemini'], ratio: '0.8' },
      { models: ['*'], ratio: '0.95' },
    ],
  ],
] as const;

/** Accounts, discounts, transactions, exports and codes, so that the pages of finance have something to show. */
export async function seedDemoBooks(call: CallApi): Promise<void> {
  const ids = new Map<string, string>();
  for (const account of ACCOUNTS) {
    const { id } = (await call('POST', '/api/accounts', account)) as { id: string };
    ids.set(account.name, id);
  }
  for (const [operation, name, amount_usd, reason] of ENTERED)
    await call(
      'POST',
      `/api/ledger/${operation}`,
      { account_id: ids.get(name), amount_usd, reason },
      { 'idempotency-key': randomUUID() },
    );
  await seedDemoExports(call);
  for (const [name, discounts] of DISCOUNTS)
    await call('PUT', `/api/catalogue/discounts/${ids.get(name)}`, { discounts });
  for (const batch of [
    { note: 'Conference booth', amount_usd: '5.00', count: 200, expires_at: '2031-01-01T00:00:00Z' },
    { note: 'Beta testers', amount_usd: '25.00', count: 12, expires_at: null },
  ]) {
    const { codes } = (await call('POST', '/api/redemption/batches', batch, {
      'idempotency-key': randomUUID(),
    })) as { codes: string[] };
    for (const code of codes.slice(0, 4)) await call('POST', '/api/redemption/redeem', { code });
  }
}

async function seedDemoExports(call: CallApi): Promise<void> {
  const span = { from: '2026-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' };
  for (const request of [
    { kind: 'ledger', format: 'parquet' },
    { kind: 'focus', format: 'csv' },
    { kind: 'usage', format: 'csv' },
  ])
    await call('POST', '/api/exports', { ...request, ...span });
  const zone = { time_zone: 'Europe/Berlin' };
  await call('POST', '/api/exports/schedules', {
    name: 'Month-end books',
    kind: 'ledger',
    format: 'parquet',
    every: 'month',
    day: 4,
    hour: 6,
    ...zone,
    after_close: true,
  });
  await call('POST', '/api/exports/schedules', {
    name: 'Warehouse, nightly',
    kind: 'usage',
    format: 'parquet',
    every: 'day',
    hour: 2,
    ...zone,
  });
  await waitFor(
    async () => {
      const { items } = (await call('GET', '/api/exports')) as { items: { status: string }[] };
      return items.every(({ status }) => status === 'done');
    },
    'the exports',
    60_000,
  );
}
