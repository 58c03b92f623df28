import type { Batch } from '../../api/redemption.ts';

export const openCodes = ({ count, redeemed, revoked }: Batch): number => count - redeemed - revoked;

export type BatchStatus = 'open' | 'expired' | 'used';

/** Whether any code of a batch can still be redeemed, and if not, why. */
export function findBatchStatus(batch: Batch, now = Date.now()): BatchStatus {
  if (openCodes(batch) === 0) return 'used';
  return batch.expires_at !== null && Date.parse(batch.expires_at) <= now ? 'expired' : 'open';
}
