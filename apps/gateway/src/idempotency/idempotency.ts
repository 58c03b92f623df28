import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '@tollgate/platform';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { Claims } from './claims.ts';
import { type KeptAnswer, openAnswer, parseEntry, renderAnswered, renderClaim } from './entry.ts';
import { type Fingerprinted, fingerprintOf, placeOf } from './fingerprint.ts';
import type { KeptBytes } from './kept-bytes.ts';

/** Says what becomes of the answer: `stored`, or why a retry would run anew. */
export const STATE_HEADER = 'x-tollgate-idempotency';

export interface IdempotencySettings {
  /** What is kept is kept under the first; under the others it is looked for. */
  readonly keys: Keyring;
  /** How long an answer is kept. */
  readonly ttlMs: number;
  readonly mostBytes: number;
  /** How long a twin waits for the first at most. */
  readonly waitMs: number;
  /** How long the claim of a gateway that is gone holds the twins up. */
  readonly leaseMs: number;
}

export interface IdempotentRequest extends Fingerprinted {
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly stream: boolean;
  /** When the caller gives up, in milliseconds since 1970. */
  readonly deadlineAt: number;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
  /** Asked once before an answer is given again or waited for; its refusal ends the request. */
  readonly admitTwin: () => Promise<RelayError | undefined>;
}

/** A request that runs: `release` must be called when it has ended, whatever came of it. */
export interface Run {
  readonly kind: 'run';
  /** For an answer that is no stream. */
  readonly keepsAnswer: boolean;
  /** Headers of an answer that is not kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** Keeps the answer for retries; answers the headers that say so. Never rejects. */
  keep(answer: KeptAnswer): Promise<Record<string, string>>;
  /** Gives the key back, unless the answer is kept. Never rejects. */
  release(): Promise<void>;
}

export type Begun =
  | Run
  | { readonly kind: 'replay'; readonly answer: KeptAnswer }
  | { readonly kind: 'refused'; readonly error: RelayError }
  /** The caller went away while it waited. */
  | { readonly kind: 'gone' };

export interface Idempotency {
  /** Takes the key, waits for the one who has it, or finds its answer. Never rejects. */
  begin(request: IdempotentRequest): Promise<Begun>;
  /** Resolves when everything that runs has ended. */
  idle(): Promise<void>;
}

/** Where a request stands under one of the keys. */
interface Spot {
  readonly key: Buffer;
  readonly place: string;
  readonly fingerprint: string;
}

const POLL_MS = { first: 40, most: 400, growth: 1.5 };
/** A twin answers so long before its caller gives up. */
const BEFORE_DEADLINE_MS = 250;
/** Redis is left alone after it failed. */
const AWAY_MS = 500;

/** Requests with an Idempotency-Key: one runs, the others get its answer. Without Redis each runs for itself. */
export function createIdempotency(
  claims: Claims,
  keptBytes: KeptBytes,
  settings: IdempotencySettings,
): Idempotency {
  const { leaseMs } = settings;
  const [sealKey, ...otherKeys] = settings.keys;
  const running = new Set<Promise<unknown>>();
  let awayUntil = 0;

  /** Undefined when Redis did not answer. */
  async function ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (Date.now() < awayUntil) return undefined;
    try {
      return await work();
    } catch {
      awayUntil = Date.now() + AWAY_MS;
      return undefined;
    }
  }

  function run({ stream, accountId }: IdempotentRequest, { place, fingerprint }: Spot, claim: Buffer): Run {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    const renewal = setInterval(() => void ask(() => claims.renew(place, claim)), leaseMs / 3);
    renewal.unref();
    let ended = false;
    function end(): boolean {
      if (ended) return false;
      ended = true;
      clearInterval(renewal);
      running.delete(promise);
      resolve();
      return true;
    }
    return {
      kind: 'run',
      keepsAnswer: !stream,
      headers: stream ? { [STATE_HEADER]: 'stream' } : {},
      async keep(answer) {
        if (answer.body.length > settings.mostBytes) return { [STATE_HEADER]: 'too-large' };
        const value = renderAnswered(fingerprint, answer, sealKey, place);
        const fits = await ask(() => keptBytes.take(accountId, value.length));
        if (fits === false) return { [STATE_HEADER]: 'no-room' };
        clearInterval(renewal);
        const stored = fits && (await ask(() => claims.store(place, claim, value, settings.ttlMs)));
        if (stored === undefined) return { [STATE_HEADER]: 'unavailable' };
        end();
        return { [STATE_HEADER]: stored ? 'stored' : 'unavailable' };
      },
      async release() {
        if (end()) await ask(() => claims.release(place, claim));
      },
    };
  }

  return {
    async begin(request) {
      const { stream, signal, deadlineAt } = request;
      const spotOf = (key: Buffer): Spot => ({
        key,
        place: placeOf(request.apiKeyId, request.idempotencyKey, key),
        fingerprint: fingerprintOf(request, key),
      });
      const ours = spotOf(sealKey);
      const others = otherKeys.map(spotOf);
      const { place, fingerprint } = ours;
      const claim = renderClaim(fingerprint, randomUUID());
      const waitUntil = Math.min(Date.now() + settings.waitMs, deadlineAt - BEFORE_DEADLINE_MS);
      let admitted = false;
      for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(pauseMs * POLL_MS.growth, POLL_MS.most)) {
        const taken = await ask(async () => {
          for (const spot of others) {
            const held = await claims.look(spot.place);
            if (held) return { spot, held };
          }
          return { spot: ours, held: await claims.take(place, claim) };
        });
        if (taken === undefined) return UNPROTECTED;
        const { spot, held } = taken;
        if (!held) return run(request, ours, claim);
        const entry = parseEntry(held);
        if (!entry) return UNPROTECTED;
        if (entry.fingerprint !== spot.fingerprint) return { kind: 'refused', error: MISMATCH };
        const refusal = admitted ? undefined : await request.admitTwin();
        if (refusal) return { kind: 'refused', error: refusal };
        admitted = true;
        if (entry.kind === 'answered') return replayOf(entry.sealed, spot.key, spot.place);
        if (stream || Date.now() + pauseMs > waitUntil) return { kind: 'refused', error: IN_USE };
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) return { kind: 'gone' };
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function replayOf(sealed: Buffer, key: Buffer, place: string): Begun {
  try {
    return { kind: 'replay', answer: openAnswer(sealed, key, place) };
  } catch {
    return UNPROTECTED;
  }
}

/** Nobody can say whether the key was used: the request runs as one without a key. */
const UNPROTECTED: Run = {
  kind: 'run',
  keepsAnswer: false,
  headers: { [STATE_HEADER]: 'unavailable' },
  keep: async () => ({}),
  release: async () => {},
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
