import type { Batch } from '../../api/redemption.ts';
import { openCodes, findBatchStatus } from './status.ts';

const batch: Batch = {
  id: '0198f1c2-7d1e-7000-8000-000000000001',
  amount_usd: '5.00',
  expires_at: '2027-01-01T00:00:00.000Z',
  note: 'Conference booth',
  created_by: 'owner@example.com',
  created_at: '2026-11-01T00:00:00.000Z',
  count: 10,
  redeemed: 3,
  revoked: 2,
};
const now = Date.parse('2026-11-21T00:00:00Z');

test.each([
  [{}, 'open'],
  [{ expires_at: null }, 'open'],
  [{ expires_at: '2026-11-21T00:00:00.000Z' }, 'expired'],
  [{ redeemed: 8 }, 'used'],
  [{ redeemed: 8, expires_at: '2026-01-01T00:00:00.000Z' }, 'used'],
])('a batch with %j is %s', (change, status) => {
  expect(findBatchStatus({ ...batch, ...change }, now)).toBe(status);
});

test('a code is open that is neither redeemed nor taken back', () => {
  expect(openCodes(batch)).toBe(5);
});
