import { type Charge, type Correction, isSlotCharge } from '@tollgate/limits';

/**
 * What is put right once a request has ended: its slots are free again, and its buckets of tokens lose what it used
 * beyond the charge, or get it back.
 */
export const correctionsOf = (charges: readonly Charge[], tokensBeyond: number): Correction[] =>
  charges.flatMap((charge): Correction[] => {
    if (isSlotCharge(charge)) return [{ key: charge.key, slot: charge.slot }];
    if (charge.unit !== 'tokens' || tokensBeyond === 0) return [];
    const { key, capacity, refillPerMinute } = charge;
    return [{ key, capacity, refillPerMinute, delta: tokensBeyond }];
  });
