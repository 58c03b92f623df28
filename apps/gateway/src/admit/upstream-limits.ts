import type { RateLimit } from '@tollgate/catalogue';
import { type Charge, type Limiter, rateLimitCharges, type RequestCost } from '@tollgate/limits';
import type { Counts } from '@tollgate/vocabulary';
import { computeExcess } from './admit.ts';
import { computeCorrections } from './corrections.ts';
import { newSlot } from './slot.ts';

interface Limited {
  readonly name: string;
  readonly limits: RateLimit;
}

interface UpstreamCost {
  /** Estimated tokens of the request. */
  readonly tokens: number;
  /** What is counted beside them, estimated. */
  readonly units?: Omit<RequestCost, 'requests' | 'tokens'>;
}

export type UpstreamAdmission =
  | {
      readonly ok: true;
      /**
       * Ends the try: its slots are free again, and the estimate is corrected to what it used; null for a try that was not
       * answered. The first word counts, and one must come.
       */
      readonly settle: (used: Readonly<Counts> | null) => void;
    }
  | { readonly ok: false; readonly retryAfterMs: number };

const UNLIMITED: UpstreamAdmission = { ok: true, settle: () => {} };

/**
 * Asks whether this upstream may be sent one more request with this credential now. When a limit of the upstream or of the
 * credential is reached, the upstream is passed over until `retryAfterMs` from now, as one that cools down is. Where neither
 * has limits, Redis is not asked.
 *
 * @param credential null for an upstream that wants none.
 */
export function admitUpstream(
  limiter: Limiter,
  upstream: Limited,
  credential: Limited | null,
  cost: UpstreamCost,
): UpstreamAdmission | Promise<UpstreamAdmission> {
  const charges = chargesOf(upstream, credential, cost);
  return charges.length === 0 ? UNLIMITED : admitCharges(limiter, charges, cost);
}

async function admitCharges(
  limiter: Limiter,
  charges: readonly Charge[],
  cost: UpstreamCost,
): Promise<UpstreamAdmission> {
  const admission = await limiter.admit(charges);
  if (!admission.admitted) return { ok: false, retryAfterMs: admission.retryAfterMs };
  let settled = false;
  return {
    ok: true,
    settle(used) {
      if (settled) return;
      settled = true;
      const corrections = computeCorrections(charges, computeExcess(cost, used ?? undefined));
      if (corrections.length > 0) void limiter.settle(corrections);
    },
  };
}

function chargesOf(upstream: Limited, credential: Limited | null, { tokens, units }: UpstreamCost): Charge[] {
  const cost = { requests: 1, tokens, ...units };
  const slot = newSlot();
  const ofUpstream = { dimension: 'upstream', id: upstream.name } as const;
  const charges = rateLimitCharges(ofUpstream, upstream.limits, cost, slot);
  if (!credential) return charges;
  const ofCredential = { dimension: 'credential', id: `${upstream.name}/${credential.name}` } as const;
  return [...charges, ...rateLimitCharges(ofCredential, credential.limits, cost, slot)];
}
