/**
 * In which of its ways a vendor served a request, where those have prices of their own. What an answer says of it counts, not
 * what was asked for. `fast` is the vendors' faster inference at a higher price, whatever they call it.
 */
export const SERVICE_TIERS = [
  'standard',
  'priority',
  'fast',
  'flex',
  'ultrafast',
  'batch',
  'scale',
  'reserved',
] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];
