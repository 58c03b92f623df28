import { type KeyRecord, keyRecordSchema, MESSAGE } from '@tollgate/contracts';
import type { RequestReplyClient } from '@tollgate/platform';

/** While billing is away, it is asked again this often whether it is back. */
const PROBE_EVERY_MS = 1_000;
/** The hash of no key. */
const NOBODY = '0'.repeat(64);

/** Asks billing for key records. While it is away, everybody is told so at once instead of waiting for it. */
export interface KeyLookups {
  /** @throws while billing, or its database, does not answer. */
  find(keyHash: string): Promise<KeyRecord | null>;
  /** Whether it answered when it was last asked. */
  answers(): boolean;
  close(): void;
}

export function createKeyLookups(billing: Pick<RequestReplyClient, 'request'>): KeyLookups {
  let state: 'unknown' | 'answers' | 'away' = 'unknown';
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const ask = (keyHash: string): Promise<KeyRecord | null> =>
    billing.request(MESSAGE.keyLookup, { key_hash: keyHash }, keyRecordSchema.nullable());

  async function probe(): Promise<void> {
    try {
      await ask(NOBODY);
      state = 'answers';
    } catch {
      state = 'away';
      if (!closed) timer = setTimeout(() => void probe(), PROBE_EVERY_MS).unref();
    }
  }
  void probe();

  return {
    async find(keyHash) {
      if (state === 'away') throw new Error('billing did not answer a moment ago');
      try {
        return await ask(keyHash);
      } catch (error) {
        // Others that asked at the same time find it so already.
        if (state === 'answers') {
          state = 'away';
          void probe();
        }
        throw error;
      }
    },
    answers: () => state === 'answers',
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
