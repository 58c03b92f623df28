import type { Lanes } from './lanes.ts';

/** Capacity, refill a minute, what must be there, what is taken, what is leased beside it. */
export interface BucketWork {
  readonly key: string;
  readonly figures: readonly [number, number, number, number, number];
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

/** The part of the work whose keys share a lane, and where its items stand in the whole. */
export interface Part {
  readonly lane: number;
  readonly work: Work;
  readonly at: { readonly buckets: number[]; readonly slots: number[]; readonly scopes: number[] };
}

/** One part where one lane has all keys; that is always so on a single server. */
export function partsOf(work: Work, laneOf: Lanes['laneOf']): Part[] {
  const parts = new Map<number, ReturnType<typeof emptyPart>>();
  const partAt = (key: string) => {
    const lane = laneOf(key);
    const known = parts.get(lane);
    if (known) return known;
    const made = emptyPart(lane);
    parts.set(lane, made);
    return made;
  };
  work.buckets.forEach((bucket, index) => {
    const part = partAt(bucket.key);
    part.buckets.push(bucket);
    part.at.buckets.push(index);
  });
  work.slots.forEach((slot, index) => {
    const part = partAt(slot.key);
    part.slots.push(slot);
    part.at.slots.push(index);
  });
  const { credit } = work;
  credit?.scopes.forEach((scope, index) => {
    const part = partAt(scope);
    part.scopes.push(scope);
    part.at.scopes.push(index);
  });
  if (credit?.holds !== undefined) partAt(credit.holds).holds = credit.holds;
  if (credit?.alive !== undefined) partAt(credit.alive).alive = credit.alive;
  return [...parts.values()].map(({ lane, buckets, slots, scopes, holds, alive, at }) => {
    const touches = scopes.length > 0 || holds !== undefined || alive !== undefined;
    return {
      lane,
      at,
      work: { buckets, slots, credit: credit && touches ? { ...credit, scopes, holds, alive } : undefined },
    };
  });
}

const emptyPart = (lane: number) => ({
  lane,
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
  for (const { key, figures } of buckets) {
    keys.push(key);
    args.push(...figures);
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

/** What the parts found, as if one call had done all. */
export function mergeOutcomes(parts: readonly Part[], outcomes: readonly Outcome[]): Outcome {
  const [only] = outcomes;
  if (outcomes.length === 1 && only) return only;
  const merged = {
    admitted: outcomes.every(({ admitted }) => admitted),
    levels: [] as number[],
    leased: [] as number[],
    free: [] as number[],
    scopes: [] as string[],
  };
  parts.forEach(({ at }, index) => {
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

/** What gives back all that a part took; its record goes with it. */
export function undoOf({ work }: Part, { leased }: Outcome): Work {
  const { buckets, slots, credit } = work;
  return {
    buckets: buckets.map(({ key, figures: [capacity, refill, , taken] }, index) => ({
      key,
      figures: [capacity, refill, NOTHING, -taken - (leased[index] ?? 0), 0],
    })),
    slots: slots.map(({ key, slot }) => ({ key, slot, what: 'release' })),
    credit: credit && { ...credit, what: 'settle', amount: '', record: 'x', alive: undefined },
  };
}

/** How a part that was undone stands: as if it had never been. */
export const undone = ({ work }: Part, outcome: Outcome): Outcome => ({
  ...outcome,
  levels: outcome.levels.map(
    (level, index) => level + (work.buckets[index]?.figures[3] ?? 0) + (outcome.leased[index] ?? 0),
  ),
  leased: outcome.leased.map(() => 0),
  free: outcome.free.map((free) => free + 1),
});

/** A correction needs nothing to be there: it was spent already. */
export const NOTHING = -1e300;
