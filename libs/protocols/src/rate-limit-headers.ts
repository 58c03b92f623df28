/** The tightest limit of one unit, as a client is told of it. */
interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is full again. */
  readonly resetMs: number;
}

/** Writes the state of a limit under the names that a format's clients read. */
export type WriteRateLimit = (
  headers: Record<string, string>,
  unit: 'requests' | 'tokens',
  state: RateLimitState,
  now: number,
) => void;

/** OpenAI states the reset as a duration. */
export const writeOpenaiRateLimit: WriteRateLimit = (headers, unit, { limit, remaining, resetMs }) => {
  const names = OPENAI_NAMES[unit];
  headers[names.limit] = String(limit);
  headers[names.remaining] = formatRemaining(remaining);
  headers[names.reset] = formatDuration(resetMs);
};

const namesOf = (unit: string) => ({
  limit: `x-ratelimit-limit-${unit}`,
  remaining: `x-ratelimit-remaining-${unit}`,
  reset: `x-ratelimit-reset-${unit}`,
});
const OPENAI_NAMES = { requests: namesOf('requests'), tokens: namesOf('tokens') };

/** Whole requests or tokens; what is overdrawn shows as none. */
export const formatRemaining = (remaining: number): string => String(Math.max(0, Math.floor(remaining)));

/** Such as `6m0s`, `1s` or `20ms`. */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
