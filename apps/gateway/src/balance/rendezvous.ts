/** FNV-1a, carried on from `state`. */
export function hashText(text: string, state = 0x811c9dc5): number {
  let hash = state;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

/** Spreads every bit over all others (the finalizer of MurmurHash3), and maps to the open interval (0, 1). */
export function toUniform(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return ((mixed >>> 0) + 0.5) / 2 ** 32;
}

/**
 * The arrival time of a member in a race that it wins with a probability proportional to its weight, given a number
 * that is uniform in (0, 1]. Sorting by it draws without replacement in proportion to the weights (Efraimidis and
 * Spirakis); with a hash in place of chance it is weighted rendezvous hashing: a member that leaves moves only what
 * it had, because the times of the others do not depend on it.
 */
export function arrival(uniform: number, weight: number): number {
  return weight > 0 ? -Math.log(uniform) / weight : Number.POSITIVE_INFINITY;
}
