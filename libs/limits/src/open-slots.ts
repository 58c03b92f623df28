import type { SlotRelease } from './token-bucket.ts';

/** The slots that requests of this process have, wherever they were taken. */
export interface OpenSlots {
  add(key: string, slot: string): void;
  remove(key: string, slot: string): void;
  count(key: string): number;
  all(): SlotRelease[];
}

export function createOpenSlots(): OpenSlots {
  const byKey = new Map<string, Set<string>>();
  return {
    add(key, slot) {
      const slots = byKey.get(key);
      if (slots) slots.add(slot);
      else byKey.set(key, new Set([slot]));
    },
    remove(key, slot) {
      const slots = byKey.get(key);
      slots?.delete(slot);
      if (slots?.size === 0) byKey.delete(key);
    },
    count: (key) => byKey.get(key)?.size ?? 0,
    all: () => [...byKey].flatMap(([key, slots]) => [...slots].map((slot) => ({ key, slot }))),
  };
}
