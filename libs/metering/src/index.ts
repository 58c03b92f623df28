export { extrasWithinBound } from './extras-within-bound.ts';
export { boundTokens, type TokenBound, tokenBounds } from './bound.ts';
export { createTokenScale, estimateRequestTokens, estimateTokens, tokenWeight } from './estimate.ts';
export { type UsageBound, withinBound } from './within-bound.ts';
export { chargeGivenUp, type HeldExtras } from './given-up.ts';
export {
  countOwn,
  createBytesMeter,
  createLargeMeter,
  measureTask,
  meterTask,
  meterTaskStream,
} from './measure-task.ts';
export { tokensWrittenIn, withUnseenReasoning } from './written.ts';
export { createMeter, type Ending, type Meter, type Metered } from './meter.ts';
