import type { Shards } from './shards.ts';

export interface BucketWork {
  readonly key: string;
  readonly capacity: number;
  readonly refillPerMinute: number;
  /** What must be there. */
  readonly needed: number;
  readonly taken: number;
  /** What is taken beside that, where it is there. */
  readonly leased: number;
}
export interface SlotWork {
  readonly key: string;
  /** How many slots there are, or what becomes of this one. */
  readonly what: number | 'release' | 'renew';
  readonly slot: string;
}
export interface CreditWork {
  readonly what: 'hold' | 'settle';
  readonly requestId: string;
  /** Empty to give all back. */
  readonly amount: number | '';
  readonly scopes: readonly string[];
  /** The hash of all holds, where something becomes of the record there. */
  readonly holds: string | undefined;
  readonly record: string;
  /** The gateway's sign of life. */
  readonly alive: string | undefined;
}

/** What one script call does, or several that belong together. */
export interface Work {
  readonly buckets: readonly BucketWork[];
  readonly slots: readonly SlotWork[];
  readonly credit: CreditWork | undefined;
}

/** What was found, in the order of the work. */
export interface Outcome {
  readonly admitted: boolean;
  readonly levels: readonly number[];
  readonly leased: readonly number[];
  readonly free: readonly number[];
  readonly scopes: readonly string[];
}

/** What of the work one shard does, and where its items are in the whole. */
export interface ShardPlan {
  readonly shard: number;
  readonly work: Work;
  readonly at: { readonly buckets: number[]; readonly slots: number[]; readonly scopes: number[] };
}

/** One plan where one shard has all keys; that is always so on a single server. */
export function planShards(work: Work, findShard: Shards['findShard']): ShardPlan[] {
  const plans = new Map<number, ReturnType<typeof emptyPlan>>();
  const planAt = (key: string) => {
    const shard = findShard(key);
    const known = plans.get(shard);
    if (known) return known;
    const made = emptyPlan(shard);
    plans.set(shard, made);
    return made;
  };
  work.buckets.forEach((bucket, index) => {
    const plan = planAt(bucket.key);
    plan.buckets.push(bucket);
    plan.at.buckets.push(index);
  });
  work.slots.forEach((slot, index) => {
    const plan = planAt(slot.key);
    plan.slots.push(slot);
    plan.at.slots.push(index);
  });
  const { credit } = work;
  credit?.scopes.forEach((scope, index) => {
    const plan = planAt(scope);
    plan.scopes.push(scope);
    plan.at.scopes.push(index);
  });
  if (credit?.holds !== undefined) planAt(credit.holds).holds = credit.holds;
  if (credit?.alive !== undefined) planAt(credit.alive).alive = credit.alive;
  return [...plans.values()].map(({ shard, buckets, slots, scopes, holds, alive, at }) => {
    const touches = scopes.length > 0 || holds !== undefined || alive !== undefined;
    return {
      shard,
      at,
      work: { buckets, slots, credit: credit && touches ? { ...credit, scopes, holds, alive } : undefined },
    };
  });
}

const emptyPlan = (shard: number) => ({
  shard,
  buckets: [] as BucketWork[],
  slots: [] as SlotWork[],
  scopes: [] as string[],
  holds: undefined as string | undefined,
  alive: undefined as string | undefined,
  at: { buckets: [] as number[], slots: [] as number[], scopes: [] as number[] },
});

/** The keys and words that the script reads. */
export function encodeWork(
  { buckets, slots, credit }: Work,
  now: number | '',
): [string[], (string | number)[]] {
  const keys: string[] = [];
  const { what = '', requestId = '', amount = '', scopes = [], holds, alive } = credit ?? {};
  const record = holds === undefined ? '' : (credit?.record ?? '');
  const args: (string | number)[] = [now, buckets.length, slots.length, scopes.length];
  args.push(what, requestId, amount, record, alive === undefined ? '' : 1);
  for (const { key, capacity, refillPerMinute, needed, taken, leased } of buckets) {
    keys.push(key);
    args.push(capacity, refillPerMinute, needed, taken, leased);
  }
  for (const slot of slots) {
    keys.push(slot.key);
    args.push(slot.what, slot.slot);
  }
  keys.push(...scopes);
  if (holds !== undefined) keys.push(holds);
  if (alive !== undefined) keys.push(alive);
  return [keys, args];
}

/** Reads what the script answered to {@link encodeWork}. */
export function decodeOutcome({ buckets, slots }: Work, answer: readonly (string | number)[]): Outcome {
  const levels: number[] = [];
  const leased: number[] = [];
  for (let index = 0; index < buckets.length; index += 1) {
    levels.push(Number(answer[2 * index + 1]));
    leased.push(Number(answer[2 * index + 2]));
  }
  const rest = 1 + 2 * buckets.length;
  return {
    admitted: answer[0] === 1,
    levels,
    leased,
    free: answer.slice(rest, rest + slots.length).map(Number),
    scopes: answer.slice(rest + slots.length).map(String),
  };
}

/** What the shards found, as if one call had done all. */
export function mergeOutcomes(plans: readonly ShardPlan[], outcomes: readonly Outcome[]): Outcome {
  const [only] = outcomes;
  if (outcomes.length === 1 && only) return only;
  const merged = {
    admitted: outcomes.every(({ admitted }) => admitted),
    levels: [] as number[],
    leased: [] as number[],
    free: [] as number[],
    scopes: [] as string[],
  };
  plans.forEach(({ at }, index) => {
    const outcome = outcomes[index];
    at.buckets.forEach((to, from) => {
      merged.levels[to] = outcome?.levels[from] ?? 0;
      merged.leased[to] = outcome?.leased[from] ?? 0;
    });
    at.slots.forEach((to, from) => (merged.free[to] = outcome?.free[from] ?? 0));
    at.scopes.forEach((to, from) => (merged.scopes[to] = outcome?.scopes[from] ?? ''));
  });
  return merged;
}

/** What gives back all that a shard took; its record goes with it. */
export function planUndo({ work }: ShardPlan, { leased }: Outcome): Work {
  const { buckets, slots, credit } = work;
  return {
    buckets: buckets.map(({ key, capacity, refillPerMinute, taken }, index) => ({
      key,
      capacity,
      refillPerMinute,
      needed: NOTHING,
      taken: -taken - (leased[index] ?? 0),
      leased: 0,
    })),
    slots: slots.map(({ key, slot }) => ({ key, slot, what: 'release' })),
    credit: credit && { ...credit, what: 'settle', amount: '', record: 'x', alive: undefined },
  };
}

/** The outcome of a plan that was undone: as if it had never been. */
export const markUndone = ({ work }: ShardPlan, outcome: Outcome): Outcome => ({
  ...outcome,
  levels: outcome.levels.map(
    (level, index) => level + (work.buckets[index]?.taken ?? 0) + (outcome.leased[index] ?? 0),
  ),
  leased: outcome.leased.map(() => 0),
  free: outcome.free.map((free) => free + 1),
});

/** A correction needs nothing to be there: it was spent already. */
export const NOTHING = -1e300;
