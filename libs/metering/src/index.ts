export { boundTokens, type TokenBound } from './bound.ts';
export { estimateRequestTokens, estimateTokens, tokenWeight } from './estimate.ts';
export { createMeter, type Ending, type Meter, type Metered } from './meter.ts';
