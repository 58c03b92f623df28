import { relayError, type RelayError } from '@tollgate/protocols';

/** Bodies up to this are taken in any case, and not counted. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Whoever finds no room may ask again after so long: most bodies are let go within it. */
const RETRY_AFTER_MS = 1_000;

interface BodyMemoryLimits {
  /** Of all large bodies of this process that are read, parsed or on their way to an upstream: of memory, or of disk. */
  readonly bodyMemoryBytes: number;
  /** Of those of one key. */
  readonly keyBodyMemoryBytes: number;
}

/** Counts what the bodies of requests take, so that neither one key nor all of them fill the memory of a process. */
export interface BodyMemory {
  lease(keyId: string): BodyLease;
  readonly heldBytes: number;
}

/** What one request takes of it. */
export interface BodyLease {
  /** It is counted; before that nothing is. */
  readonly isLarge: boolean;
  /** Takes so much more, or nothing and says why. */
  take(bytes: number): RelayError | undefined;
  give(bytes: number): void;
  /** Gives back everything. */
  release(): void;
}

export function createBodyMemory(limits: BodyMemoryLimits): BodyMemory {
  const byKey = new Map<string, number>();
  let held = 0;

  function add(keyId: string, bytes: number): void {
    held += bytes;
    const ofKey = (byKey.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) byKey.set(keyId, ofKey);
    else byKey.delete(keyId);
  }

  return {
    get heldBytes() {
      return held;
    },
    lease(keyId) {
      let taken = 0;
      return {
        get isLarge() {
          return taken > 0;
        },
        take(bytes) {
          if ((byKey.get(keyId) ?? 0) + bytes > limits.keyBodyMemoryBytes) return keyIsFull(limits);
          if (held + bytes > limits.bodyMemoryBytes) return PROCESS_IS_FULL;
          taken += bytes;
          add(keyId, bytes);
          return undefined;
        },
        give(bytes) {
          const given = Math.min(bytes, taken);
          taken -= given;
          add(keyId, -given);
        },
        release() {
          if (taken > 0) add(keyId, -taken);
          taken = 0;
        },
      };
    },
  };
}

const keyIsFull = ({ keyBodyMemoryBytes }: BodyMemoryLimits): RelayError =>
  relayError(
    'rate_limited',
    `The large requests of this API key that are under way take the ${keyBodyMemoryBytes} bytes that one key may have. Send fewer of them at once.`,
    { retryAfterMs: RETRY_AFTER_MS },
  );

const PROCESS_IS_FULL = relayError(
  'unavailable',
  'Too many large requests are under way at the moment. Try again shortly.',
  { retryAfterMs: RETRY_AFTER_MS },
);
