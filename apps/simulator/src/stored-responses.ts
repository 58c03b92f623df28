import type { Json } from './question.ts';

/** What an account of the vendor has, as its credential sees it. */
export interface StoredResponses {
  /** Everything that was said up to the end of a response, by the response's id. */
  readonly conversations: Map<string, readonly unknown[]>;
  readonly items: Map<string, Json>;
  readonly containers: Set<string>;
}

export interface StoredResponsesOfAll {
  of(credential: string): StoredResponses;
  clear(): void;
}

/** Responses of one credential are held until this many: load tests leave more than anybody asks for. */
const MAX_ITEMS = 2_000;

export function createStoredResponses(): StoredResponsesOfAll {
  const byCredential = new Map<string, StoredResponses>();
  return {
    of(credential) {
      const known = byCredential.get(credential);
      if (known && known.items.size < MAX_ITEMS) return known;
      const stored: StoredResponses = { conversations: new Map(), items: new Map(), containers: new Set() };
      byCredential.set(credential, stored);
      return stored;
    },
    clear: () => byCredential.clear(),
  };
}
