import type { BalanceContext, Member, StickyBound, Strategy } from './member.ts';
import { arrival, hashText, toUniform } from './rendezvous.ts';

const STICKY_BOUND: StickyBound = { factor: 1.25, floor: 8 };

// Sort keys of the members at the same index of the order that is being made. They are kept between calls, so that
// a call allocates its result and nothing else; a call never yields, so no two of them meet.
let first = new Float64Array(64);
let second = new Float64Array(64);

/**
 * The whole order in which to try the members for one request: tiers by priority, within a tier by the strategy.
 * Members that are not ready are left out. When none is ready this fails open: the ejected are tried all the same,
 * then those that cool down. Members whose credential was refused are never tried: an empty order means that there is
 * no other.
 *
 * - `weighted` draws by weight for each request. Smooth weighted round robin would come closer to the shares in a
 *   short run, but needs state for each pool that starts again with every snapshot and sends the first requests of all
 *   gateways to the same member; draws need none, and what a member leaves behind spreads by weight as well.
 * - `least-outstanding` takes the least (requests under way + 1) / weight.
 * - `latency` takes the better of two drawn members by latency x (requests under way + 1) / weight. A member that
 *   was never measured comes first while it is idle and last while its first request is under way.
 * - `cheapest` takes the least cost, and among equals draws by weight.
 * - `sticky` gives a key the same member each time, and the next in its order while that one is over its bound.
 */
export function order<M extends Member>(
  members: readonly M[],
  strategy: Strategy,
  context: BalanceContext,
): M[] {
  const result: M[] = [];
  for (const member of members) {
    if (member.load.availability(context.now) === 'ready') result.push(member);
  }
  if (result.length === 0) failOpen(members, result, context.now);
  if (result.length < 2) return result;
  if (first.length < result.length) {
    first = new Float64Array(result.length * 2);
    second = new Float64Array(result.length * 2);
  }
  for (let index = 0; index < result.length; index += 1) {
    const member = at(result, index);
    first[index] = member.load.availability(context.now) === 'cooling_down' ? 1 : 0;
    second[index] = member.priority;
  }
  sort(result, 0, result.length);
  let start = 0;
  while (start < result.length) {
    const end = endOfTier(result.length, start);
    if (end - start > 1) orderTier(result, start, end, strategy, context);
    start = end;
  }
  return result;
}

function failOpen<M extends Member>(members: readonly M[], result: M[], now: number): void {
  for (const member of members) {
    if (member.load.availability(now) !== 'disabled') result.push(member);
  }
}

/** Reads the sort keys at and after `start` only: those of earlier tiers are already overwritten. */
function endOfTier(length: number, start: number): number {
  let end = start + 1;
  while (end < length && first[end] === first[start] && second[end] === second[start]) end += 1;
  return end;
}

function orderTier(
  members: Member[],
  start: number,
  end: number,
  strategy: Strategy,
  context: BalanceContext,
): void {
  if (strategy === 'sticky' && context.key !== undefined) {
    scoreSticky(members, start, end, context.key, context.stickyBound ?? STICKY_BOUND);
    sort(members, start, end);
    return;
  }
  for (let index = start; index < end; index += 1) {
    const member = at(members, index);
    first[index] = firstKey(member, strategy, context.now);
    second[index] = arrival(1 - context.random(), member.weight);
  }
  sort(members, start, end);
  if (strategy === 'latency') drawPairs(members, start, end, context);
}

function firstKey(member: Member, strategy: Strategy, now: number): number {
  switch (strategy) {
    case 'least-outstanding':
      return relativeLoad(member);
    case 'cheapest':
      return member.costPerRequest ?? Number.POSITIVE_INFINITY;
    case 'latency':
      return latencyCost(member, now);
    default:
      return 0;
  }
}

const relativeLoad = ({ load, weight }: Member): number =>
  weight > 0 ? (load.outstanding + 1) / weight : Number.POSITIVE_INFINITY;

/** Never measured and idle: before all others. Never measured and busy: after all that are known. */
const UNTRIED = -1;
const UNPROVEN_MS = 1e9;

function latencyCost(member: Member, now: number): number {
  const latencyMs = member.load.latencyMs(now);
  if (latencyMs !== undefined) return latencyMs * relativeLoad(member);
  return member.load.outstanding === 0 && member.weight > 0 ? UNTRIED : UNPROVEN_MS * relativeLoad(member);
}

/**
 * The power of two choices: at each place the better of two that are drawn among the rest. The best alone would be
 * chosen by every request, of every gateway, until its next measurement. Expects the keys to be sorted.
 */
function drawPairs(members: Member[], start: number, end: number, { random }: BalanceContext): void {
  let place = start;
  while (place < end && first[place] === UNTRIED) place += 1;
  let known = end;
  while (known > place && key(first, known - 1) >= UNPROVEN_MS) known -= 1;
  for (; known - place > 2; place += 1) {
    const rest = known - place;
    const one = Math.floor(random() * rest);
    const other = (one + 1 + Math.floor(random() * (rest - 1))) % rest;
    // The rest stays sorted, so the lower index is the better, and taking it out must keep the order of the others.
    bringForward(members, place, place + Math.min(one, other));
  }
}

function bringForward(members: Member[], place: number, from: number): void {
  const chosen = at(members, from);
  for (let index = from; index > place; index -= 1) members[index] = at(members, index - 1);
  members[place] = chosen;
}

/** Rendezvous hashing with bounded loads: the order of the hashes, those over their bound after the others. */
function scoreSticky(members: Member[], start: number, end: number, stickyKey: string, bound: StickyBound) {
  let outstanding = 1;
  let weights = 0;
  for (let index = start; index < end; index += 1) {
    const member = at(members, index);
    outstanding += member.load.outstanding;
    weights += Math.max(0, member.weight);
  }
  const keyHash = hashText(stickyKey);
  for (let index = start; index < end; index += 1) {
    const { id, weight, load } = at(members, index);
    const fair = weights > 0 ? (outstanding * weight) / weights : 0;
    const max = Math.max(bound.floor, Math.ceil(fair * bound.factor));
    first[index] = load.outstanding >= max ? 1 : 0;
    second[index] = arrival(toUniform(hashText(id, keyHash)), weight);
  }
}

/** Insertion sort by both keys: stable, in place, and the fastest there is for the few members that a pool has. */
function sort(members: Member[], start: number, end: number): void {
  for (let index = start + 1; index < end; index += 1) {
    const member = at(members, index);
    const one = key(first, index);
    const two = key(second, index);
    let place = index;
    while (place > start && isAfter(place - 1, one, two)) {
      members[place] = at(members, place - 1);
      first[place] = key(first, place - 1);
      second[place] = key(second, place - 1);
      place -= 1;
    }
    members[place] = member;
    first[place] = one;
    second[place] = two;
  }
}

function isAfter(index: number, one: number, two: number): boolean {
  const own = key(first, index);
  return own > one || (own === one && key(second, index) > two);
}

const key = (keys: Float64Array, index: number): number => keys[index] ?? 0;

function at<M>(members: readonly M[], index: number): M {
  const member = members[index];
  if (member === undefined) throw new RangeError(`No member at ${index} of ${members.length}.`);
  return member;
}
