import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '@tollgate/platform';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { Leases } from './leases.ts';
import { type KeptAnswer, openAnswer, parseEntry, renderAnswered, renderLease } from './entry.ts';
import { type Fingerprinted, computeFingerprint, toRedisKey } from './fingerprint.ts';
import type { KeptBytes } from './kept-bytes.ts';

/** Says what becomes of the answer: `stored`, or why a retry would run again. */
const STATE_HEADER = 'x-tollgate-idempotency';

interface IdempotencySettings {
  /** What is kept is kept under the first; under the others it is looked for. */
  readonly keys: Keyring;
  /** How long an answer is kept. */
  readonly ttlMs: number;
  readonly maxBytes: number;
  /** How long a duplicate waits for the first at most. */
  readonly waitMs: number;
  /** How long the lease of a gateway that is gone holds the duplicates up. */
  readonly leaseMs: number;
}

export interface IdempotentRequest extends Fingerprinted {
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly stream: boolean;
  /** When the caller gives up, by `performance.now()`. */
  readonly deadlineAt: number;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
  /** Asked once before an answer is given again or waited for; its refusal ends the request. */
  readonly admitDuplicate: () => Promise<RelayError | undefined>;
}

/** A request that runs. It is released when it has ended, whatever came of it. */
export interface Execution extends Disposable {
  readonly kind: 'execution';
  /** For an answer that is no stream. */
  readonly keepsAnswer: boolean;
  /** Headers of an answer that is not kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** Keeps the answer for retries; answers the headers that say so. Never rejects. */
  keep(answer: KeptAnswer): Promise<Record<string, string>>;
  /** Gives the key back, unless the answer is kept. Never rejects. */
  release(): Promise<void>;
}

type Begun =
  | Execution
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }
  | { readonly kind: 'refused'; readonly error: RelayError }
  /** The caller went away while it waited. */
  | { readonly kind: 'gone' };

export interface Idempotency {
  /** Takes the key, waits for the one who has it, or finds its answer. Never rejects. */
  begin(request: IdempotentRequest): Promise<Begun>;
  /** Resolves when everything that runs has ended, and its keys are given back. */
  idle(): Promise<void>;
}

/** What a request has in Redis under one of our keys. */
interface Slot {
  readonly key: Buffer;
  readonly redisKey: string;
  readonly fingerprint: string;
}

const POLL_MS = { initial: 40, max: 400, factor: 1.5 };
/** A duplicate answers so long before its caller gives up. */
const BEFORE_DEADLINE_MS = 250;
/** Redis is left alone after it failed. */
const AWAY_MS = 500;

/** Requests with an Idempotency-Key: one runs, the others get its answer. Without Redis each runs for itself. */
export function createIdempotency(
  leases: Leases,
  keptBytes: KeptBytes,
  settings: IdempotencySettings,
): Idempotency {
  const { leaseMs } = settings;
  const [sealKey, ...otherKeys] = settings.keys;
  const running = new Set<Promise<unknown>>();
  let awayUntil = 0;

  /** Undefined when Redis did not answer. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < awayUntil) return undefined;
    try {
      return await work();
    } catch {
      awayUntil = performance.now() + AWAY_MS;
      return undefined;
    }
  }

  function execute(
    { stream, accountId }: IdempotentRequest,
    { redisKey, fingerprint }: Slot,
    lease: Buffer,
  ): Execution {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    const renewal = setInterval(() => void ask(() => leases.renew(redisKey, lease)), leaseMs / 3);
    renewal.unref();
    let ended = false;
    function end(): boolean {
      if (ended) return false;
      ended = true;
      clearInterval(renewal);
      return true;
    }
    function over(): void {
      running.delete(promise);
      resolve();
    }
    async function release(): Promise<void> {
      if (!end()) return;
      await ask(() => leases.release(redisKey, lease));
      over();
    }
    return {
      kind: 'execution',
      keepsAnswer: !stream,
      headers: stream ? { [STATE_HEADER]: 'stream' } : {},
      async keep(answer) {
        if (answer.body.length > settings.maxBytes) return { [STATE_HEADER]: 'too-large' };
        const value = renderAnswered(fingerprint, answer, sealKey, redisKey);
        const fits = await ask(() => keptBytes.take(accountId, value.length));
        if (fits === false) return { [STATE_HEADER]: 'no-room' };
        clearInterval(renewal);
        const stored = fits && (await ask(() => leases.store(redisKey, lease, value, settings.ttlMs)));
        if (stored === undefined) return { [STATE_HEADER]: 'unavailable' };
        if (end()) over();
        return { [STATE_HEADER]: stored ? 'stored' : 'unavailable' };
      },
      release,
      [Symbol.dispose]: () => void release(),
    };
  }

  return {
    async begin(request) {
      const { stream, signal, deadlineAt } = request;
      const slotOf = (key: Buffer): Slot => ({
        key,
        redisKey: toRedisKey(request.apiKeyId, request.idempotencyKey, key),
        fingerprint: computeFingerprint(request, key),
      });
      const ours = slotOf(sealKey);
      const others = otherKeys.map(slotOf);
      const { redisKey, fingerprint } = ours;
      const lease = renderLease(fingerprint, randomUUID());
      const waitUntil = Math.min(performance.now() + settings.waitMs, deadlineAt - BEFORE_DEADLINE_MS);
      let admitted = false;
      for (let pauseMs = POLL_MS.initial; ; pauseMs = Math.min(pauseMs * POLL_MS.factor, POLL_MS.max)) {
        const taken = await ask(async () => {
          for (const slot of others) {
            const held = await leases.look(slot.redisKey);
            if (held) return { slot, held };
          }
          return { slot: ours, held: await leases.take(redisKey, lease) };
        });
        if (taken === undefined) return UNPROTECTED;
        const { slot, held } = taken;
        if (!held) return execute(request, ours, lease);
        const entry = parseEntry(held);
        if (!entry) return UNPROTECTED;
        if (entry.fingerprint !== slot.fingerprint) return { kind: 'refused', error: MISMATCH };
        const refusal = admitted ? undefined : await request.admitDuplicate();
        if (refusal) return { kind: 'refused', error: refusal };
        admitted = true;
        if (entry.kind === 'answered') return replayOf(entry.sealed, slot.key, slot.redisKey);
        if (stream || performance.now() + pauseMs > waitUntil) return { kind: 'refused', error: IN_USE };
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) return { kind: 'gone' };
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function replayOf(sealed: Buffer, key: Buffer, redisKey: string): Begun {
  try {
    return { kind: 'replay', answer: openAnswer(sealed, key, redisKey) };
  } catch {
    return UNPROTECTED;
  }
}

/** Nobody can say whether the key was used: the request runs as one without a key. */
const UNPROTECTED: Execution = {
  kind: 'execution',
  keepsAnswer: false,
  headers: { [STATE_HEADER]: 'unavailable' },
  keep: async () => ({}),
  release: async () => {},
  [Symbol.dispose]: () => {},
};

const MISMATCH = relayError(
  'idempotency_mismatch',
  'This Idempotency-Key was used for another request. Use a new key for every request, and the same key only to repeat one.',
  { param: 'idempotency-key' },
);

const IN_USE = relayError(
  'idempotency_in_use',
  'A request with this Idempotency-Key is still under way. Try again when it has ended.',
  { param: 'idempotency-key', retryAfterMs: 1_000 },
);
