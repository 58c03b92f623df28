import { createHash } from 'node:crypto';
import type { RedisClient } from '@tollgate/limits';

/** Conversations go on within this; a state that is older is sent where its request goes. */
const TTL_S = 6 * 60 * 60;
/** Of one answer, and of one request: the newest are what the next turn needs. */
const MAX_STATES = 16;

/** Which upstream's credential made the states of reasoning that clients bring back: no other one can read them. */
export interface StatePlaces {
  /** Never rejects: what is not known costs an attempt, and no answer. */
  remember(accountId: string, states: readonly string[], place: string): Promise<void>;
  /** The places of those that are known, by state. Never rejects. */
  find(accountId: string, states: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function createStatePlaces(redis: RedisClient): StatePlaces {
  return {
    async remember(accountId, states, place) {
      const kept = states.slice(-MAX_STATES);
      await Promise.allSettled(kept.map((state) => redis.set(keyOf(accountId, state), place, 'EX', TTL_S)));
    },
    async find(accountId, states) {
      const asked = states.slice(-MAX_STATES);
      const found = await Promise.allSettled(asked.map((state) => redis.get(keyOf(accountId, state))));
      const places = new Map<string, string>();
      for (const [index, state] of asked.entries()) {
        const each = found[index];
        if (each?.status === 'fulfilled' && each.value !== null) places.set(state, each.value);
      }
      return places;
    },
  };
}

/** Of a state only its hash is kept. */
function keyOf(accountId: string, state: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([accountId, state]))
    .digest('base64url');
  return `tollgate:reasoning:{${hash.slice(0, 22)}}`;
}
