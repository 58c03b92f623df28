import { RerateTotals } from './totals.ts';

const usage = (accountId: string, model: string, costPico: bigint, input = 1) => ({
  accountId,
  model,
  costPico,
  counts: { input, searches: 2 },
});

test('requests are added up by account and model, in their order, and in all', () => {
  const totals = new RerateTotals();
  totals.add(usage('b', 'm', 3n), 5n);
  totals.add(usage('a', 'z', 10n, 2), 1n);
  totals.add(usage('a', 'm', 1_000_000_000_000n), 2_000_000_000_000n);
  totals.add(usage('a', 'z', 10n, 3), 1n);
  expect([...totals.lines()]).toEqual([
    expect.objectContaining({ account_id: 'a', model: 'm', booked_usd: '1.00', rerated_usd: '2.00' }),
    {
      account_id: 'a',
      model: 'z',
      requests: 2,
      tokens: { input: 5 },
      units: { searches: 4 },
      booked_usd: '0.00000000002',
      rerated_usd: '0.000000000002',
      difference_usd: '-0.000000000018',
      unpriced_requests: 0,
      unpriced_booked_usd: '0.00',
    },
    expect.objectContaining({ account_id: 'b', model: 'm' }),
  ]);
  expect(totals.total()).toMatchObject({
    requests: 4,
    tokens: { input: 7 },
    booked_usd: '1.000000000023',
    rerated_usd: '2.000000000007',
    difference_usd: '0.999999999984',
  });
});

test('what the other prices do not cover is counted, and told apart from what they do', () => {
  const totals = new RerateTotals();
  totals.add(usage('a', 'm', 7n), null);
  totals.add(usage('a', 'm', 5n), 6n);
  expect(totals.total()).toMatchObject({
    requests: 2,
    unpriced_requests: 1,
    unpriced_booked_usd: '0.000000000007',
    booked_usd: '0.000000000012',
    rerated_usd: '0.000000000006',
  });
});

test('sums beyond what a double holds stay exact', () => {
  const totals = new RerateTotals();
  const large = 10n ** 30n;
  totals.add(usage('a', 'm', large), large + 1n);
  totals.add(usage('a', 'm', 1n), 1n);
  expect(totals.total()).toMatchObject({
    booked_usd: '1000000000000000000.000000000001',
    difference_usd: '0.000000000001',
  });
});

test('of nothing the total is nothing', () => {
  expect([...new RerateTotals().lines()]).toEqual([]);
  expect(new RerateTotals().total()).toMatchObject({ requests: 0, tokens: {}, difference_usd: '0.00' });
});
