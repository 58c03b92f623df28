import type { RateLimit } from '../../api/catalogue.ts';

export const LIMITS = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'] as const;
export type LimitName = (typeof LIMITS)[number];

/** Limits as a form holds them: empty is no limit. */
export type LimitForm = Readonly<Record<LimitName, number | string>>;

export const toLimitForm = (limit: RateLimit = {}): LimitForm => ({
  requests_per_minute: limit.requests_per_minute ?? '',
  tokens_per_minute: limit.tokens_per_minute ?? '',
  concurrent_requests: limit.concurrent_requests ?? '',
});

/** Limits as the relay takes them; those that are empty are left out. */
export const toLimit = (form: LimitForm): RateLimit =>
  Object.fromEntries(
    LIMITS.flatMap((name): [LimitName, number][] => (form[name] === '' ? [] : [[name, Number(form[name])]])),
  );

export const hasLimits = (limit: RateLimit): boolean => LIMITS.some((name) => (limit[name] ?? null) !== null);
