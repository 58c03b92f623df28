import { type Charge, type Correction, isSlotCharge, type LimitUnit } from '@tollgate/limits';

/** What was used beyond what was charged, or below zero what was not. */
export type Excess = Partial<Record<Exclude<LimitUnit, 'requests' | 'concurrent'>, number>>;

/**
 * Lists what is corrected once a request has ended: its slots become free, and its buckets of tokens and units lose what it
 * used beyond the charge, or get back what it did not use.
 */
export function computeCorrections(charges: readonly Charge[], beyond: Readonly<Excess>): Correction[] {
  const corrections: Correction[] = [];
  for (const charge of charges) {
    if (isSlotCharge(charge)) corrections.push({ key: charge.key, slot: charge.slot });
    else if (charge.unit !== 'requests') {
      const { key, capacity, refillPerMinute } = charge;
      const delta = beyond[charge.unit] ?? 0;
      if (delta !== 0) corrections.push({ key, capacity, refillPerMinute, delta });
    }
  }
  return corrections;
}
