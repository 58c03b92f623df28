import type { Json } from './question.ts';

/** What an account of the vendor has, as its credential sees it. */
export interface Kept {
  /** Everything that was said up to the end of a response, by the response's id. */
  readonly conversations: Map<string, readonly unknown[]>;
  readonly items: Map<string, Json>;
  readonly containers: Set<string>;
}

export interface KeptOfAll {
  of(credential: string): Kept;
  clear(): void;
}

/** Responses of one credential are held until this many: load tests leave more than anybody asks for. */
const MAX_ITEMS = 2_000;

export function createKept(): KeptOfAll {
  const byCredential = new Map<string, Kept>();
  return {
    of(credential) {
      const known = byCredential.get(credential);
      if (known && known.items.size < MAX_ITEMS) return known;
      const kept: Kept = { conversations: new Map(), items: new Map(), containers: new Set() };
      byCredential.set(credential, kept);
      return kept;
    },
    clear: () => byCredential.clear(),
  };
}
