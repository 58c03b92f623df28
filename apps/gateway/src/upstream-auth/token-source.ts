import { performance } from 'node:perf_hooks';
import { UpstreamAuthError } from './auth-scheme.ts';

/** Something that proves who asks for a while: a token, or a lent key. */
export interface Lease<T> {
  readonly value: T;
  /** From when it was asked for; by no clock, for those of others may be set otherwise. */
  readonly lastsMs: number;
}

interface TokenSource<T> {
  /** What holds now: at once, where there is something. @throws UpstreamAuthError */
  get(): T | Promise<T>;
  /** Asks for another in place of one that was refused; false where that brings none, or was just done. */
  renew(refused: T): Promise<boolean>;
}

/** Another is asked for when less than this is left of it, or half of what it lasts. */
const REFRESH_BEFORE_MS = 300_000;
/** After a refresh that failed the old one is served for so long before the next is tried. */
const RETRY_MS = 10_000;
/** Refused ones are replaced no more often than this: a door that refuses everybody would have us ask without end. */
const RENEW_INTERVAL_MS = 10_000;
/** Whoever gives them out is waited for so long, over all that it takes. */
export const TOKEN_TIMEOUT_MS = 5_000;

/**
 * Keeps a token: refreshed before it ends, by one call at a time, while the old one is served as long as it lasts.
 *
 * @param fetch asks for a token; its signal aborts when it takes too long.
 * @param failed is told of every call that brought none.
 * @param options `prepare` is waited for before a call's time begins: loading a library is no fault of whoever gives tokens.
 */
export function createTokenSource<T>(
  fetch: (signal: AbortSignal) => Promise<Lease<T>>,
  failed: (error: UpstreamAuthError) => void,
  {
    timeoutMs = TOKEN_TIMEOUT_MS,
    now = () => performance.now(),
    prepare,
  }: {
    readonly timeoutMs?: number;
    readonly now?: () => number;
    readonly prepare?: () => Promise<unknown>;
  } = {},
): TokenSource<T> {
  let held: { readonly value: T; readonly refreshAt: number; readonly endsAt: number } | undefined;
  let refreshing: Promise<T> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function refresh(): Promise<T> {
    try {
      if (prepare) await prepare();
      const askedAt = now();
      const { value, lastsMs } = await inTime(fetch, timeoutMs);
      const refreshAt = askedAt + Math.max(lastsMs / 2, lastsMs - REFRESH_BEFORE_MS);
      held = { value, refreshAt, endsAt: askedAt + lastsMs };
      return value;
    } catch (error) {
      const failure = toAuthError(error);
      if (held) held = { ...held, refreshAt: now() + RETRY_MS };
      failed(failure);
      throw failure;
    } finally {
      refreshing = undefined;
    }
  }
  const refreshOnce = () => (refreshing ??= refresh());

  return {
    get() {
      const at = now();
      if (!held || at >= held.endsAt) return refreshOnce();
      // Nobody waits for it, and `failed` is told.
      if (at >= held.refreshAt) void refreshOnce().catch(() => {});
      return held.value;
    },
    async renew(refused) {
      if (held && held.value !== refused) return true;
      if (!refreshing && now() - renewedAt < RENEW_INTERVAL_MS) return false;
      renewedAt = now();
      return refreshOnce().then(
        () => true,
        () => false,
      );
    },
  };
}

/** Not every library gives up when it is told to: whoever waits does. */
async function inTime<T>(run: (signal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const control = new AbortController();
  const timer = setTimeout(() => {
    const error = new UpstreamAuthError(`No token came within ${timeoutMs / 1_000} seconds.`, false);
    control.abort(error);
    reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([run(control.signal), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function toAuthError(error: unknown): UpstreamAuthError {
  if (error instanceof UpstreamAuthError) return error;
  const { name, code } = error as { name?: string; code?: string };
  // Messages of libraries may quote what was sent.
  return new UpstreamAuthError(`No token could be had: ${code ?? name ?? 'unknown error'}.`, false, {
    cause: error,
  });
}
