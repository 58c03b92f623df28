import { z } from 'zod';

const count = z.int().nonnegative();

/** How the clouds are told to misbehave where identities are proved; every field is optional. */
const faultsSchema = z
  .strictObject({
    /** Tokens and lent keys end after so many seconds. */
    token_ttl_s: z.number().positive(),
    /** The next so many requests that bring a good token are answered with 401 (AWS: 403) all the same. */
    refuse_next: count,
    /** End points that give out tokens and keys never answer: also the metadata servers. */
    hang: z.boolean(),
    /** They answer with this status. */
    status: z.int().min(400).max(599),
    /** They answer after so long. */
    delay_ms: count,
    /** The clouds' clocks are ahead by so much. */
    skew_s: z.number(),
  })
  .partial();
type CloudFaults = z.infer<typeof faultsSchema>;

export interface CloudState {
  faults: CloudFaults;
  /** Tokens and keys that were given out, by cloud. */
  readonly issued: Record<'aws' | 'google' | 'azure', number>;
  /** Milliseconds since 1970 by the clouds' clocks. */
  now(): number;
  /** Whether this good proof is to be refused. */
  takesRefusal(): boolean;
}

const HOUR_S = 3_600;

export function createCloudState(): CloudState {
  const state: CloudState = {
    faults: {},
    issued: { aws: 0, google: 0, azure: 0 },
    now: () => Date.now() + (state.faults.skew_s ?? 0) * 1_000,
    takesRefusal() {
      const { refuse_next = 0 } = state.faults;
      if (refuse_next === 0) return false;
      state.faults = { ...state.faults, refuse_next: refuse_next - 1 };
      return true;
    },
  };
  return state;
}

export const ttlSeconds = ({ faults }: CloudState): number => faults.token_ttl_s ?? HOUR_S;

/** @throws Error with what is wrong. */
export const parseFaults = (text: string): CloudFaults => faultsSchema.parse(JSON.parse(text));
