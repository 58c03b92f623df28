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

interface MemoryCount {
  add(keyId: string, bytes: number): void;
  /** Why so much more cannot be taken. */
  refuse(keyId: string, bytes: number): RelayError | undefined;
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

  function refuse(keyId: string, bytes: number): RelayError | undefined {
    if ((byKey.get(keyId) ?? 0) + bytes > limits.keyBodyMemoryBytes) return keyIsFull(limits);
    return held + bytes > limits.bodyMemoryBytes ? PROCESS_IS_FULL : undefined;
  }

  const memory = { add, refuse };
  return {
    get heldBytes() {
      return held;
    },
    lease: (keyId) => new Lease(keyId, memory),
  };
}

class Lease implements BodyLease {
  readonly #keyId: string;
  readonly #memory: MemoryCount;
  #taken = 0;

  constructor(keyId: string, memory: MemoryCount) {
    this.#keyId = keyId;
    this.#memory = memory;
  }

  get isLarge(): boolean {
    return this.#taken > 0;
  }

  take(bytes: number): RelayError | undefined {
    const error = this.#memory.refuse(this.#keyId, bytes);
    if (!error) this.#add(bytes);
    return error;
  }

  give(bytes: number): void {
    this.#add(-Math.min(bytes, this.#taken));
  }

  release(): void {
    if (this.#taken > 0) this.#add(-this.#taken);
  }

  #add(bytes: number): void {
    this.#taken += bytes;
    this.#memory.add(this.#keyId, bytes);
  }
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
