import { type Charge, type Correction, isSlotCharge } from '@tollgate/limits';

/**
 * Lists what is corrected once a request has ended: its slots become free, and its token buckets lose what it used beyond
 * the charge, or get back what it did not use.
 */
export function computeCorrections(charges: readonly Charge[], tokensBeyond: number): Correction[] {
  const corrections: Correction[] = [];
  for (const charge of charges) {
    if (isSlotCharge(charge)) corrections.push({ key: charge.key, slot: charge.slot });
    else if (charge.unit === 'tokens' && tokensBeyond !== 0) {
      const { key, capacity, refillPerMinute } = charge;
      corrections.push({ key, capacity, refillPerMinute, delta: tokensBeyond });
    }
  }
  return corrections;
}
