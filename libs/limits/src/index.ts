export { type BookedCredit, createCreditScopes, type CreditScopes } from './credit-scopes.ts';
export type { CreditAdmission, CreditHold, CreditRefusal, HoldRecord } from './hold.ts';
export { createLocalLimiter } from './local-limiter.ts';
export { createScript, type RedisClient } from './script.ts';
export { createRedisLimiter } from './redis-limiter.ts';
export { createResilientLimiter, type ResilientLimiter } from './resilient-limiter.ts';
export {
  type Admission,
  type BucketState,
  type Charge,
  type Correction,
  isSlotCharge,
  type LimitDimension,
  type Limiter,
  type LimitUnit,
  rateLimitCharges,
  type RequestCost,
} from './token-bucket.ts';
