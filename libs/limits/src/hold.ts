import type { CreditScope } from '@tollgate/contracts';
import type { Admission, BucketState } from './token-bucket.ts';

/** What a request may cost at most, held in every scope that it spends from until its real cost is in the books. */
export interface CreditHold {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly CreditScope[];
  /** Whole micro-USD, rounded up: Redis counts in doubles, which are exact up to nine billion USD of them. */
  readonly amount: number;
}

/** The end of a hold's first life: the request's real cost in micro-USD, rounded up, or null when it costs nothing. */
export interface CreditSettlement {
  readonly requestId: string;
  readonly amount: number | null;
  /** Those of the hold; read from its record where they are not given. */
  readonly scopes?: readonly CreditScope[];
}

export type CreditRefusal = {
  readonly admitted: false;
  readonly buckets: readonly BucketState[];
} & (
  | {
      readonly credit: 'insufficient';
      /** The scope with the least. */
      readonly scope: CreditScope;
      /** Micro-USD as the books have it. */
      readonly left: number;
      /** Micro-USD of it that requests hold which are under way. */
      readonly held: number;
    }
  /** Redis does not have these scopes: they must be loaded from the books. */
  | { readonly credit: 'unknown'; readonly scopes: readonly CreditScope[] }
  /** Redis does not answer: nobody can say what is left. */
  | { readonly credit: 'unavailable' }
);

export type CreditAdmission = Admission | CreditRefusal;

/** A hold as Redis keeps it. */
export interface HoldRecord {
  readonly requestId: string;
  /** Open until the request has ended and its cost is known. */
  readonly settled: boolean;
  /** Micro-USD. */
  readonly amount: number;
  readonly gateway: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly CreditScope[];
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly at: number;
}
