import { INPUT_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { RequestEntry } from '../../api/requests.ts';
import type { UsageEntry } from '../../api/usage.ts';
import type { MarkTone } from '../../shared/Mark.tsx';

/** Everything that was read, from a cache or not. */
export const tokensIn = ({ tokens }: UsageEntry): number => sumTokens(tokens, INPUT_TOKEN_KINDS);
export const tokensOut = ({ tokens }: UsageEntry): number => sumTokens(tokens, OUTPUT_TOKEN_KINDS);

const TONES: Readonly<Record<RequestEntry['outcome'], MarkTone>> = {
  completed: 'good',
  client_aborted: 'warn',
  upstream_cut: 'bad',
  failed: 'bad',
  free: 'plain',
};

export const findTone = ({ outcome }: RequestEntry): MarkTone => TONES[outcome];

/** Codes that have words; others are shown as they are. */
export const ERROR_CODES = [
  'invalid_request',
  'model_not_found',
  'invalid_group',
  'unsupported_parameter',
  'context_length_exceeded',
  'not_found',
  'request_too_large',
  'request_timeout',
  'invalid_api_key',
  'api_key_disabled',
  'api_key_expired',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'rate_limit_exceeded',
  'insufficient_quota',
  'client_closed_request',
  'upstream_cut',
  'upstream_refused',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_unavailable',
  'upstream_timeout',
  'service_unavailable',
  'internal_error',
] as const;
type ErrorCode = (typeof ERROR_CODES)[number];

export const isKnownCode = (code: string): code is ErrorCode =>
  (ERROR_CODES as readonly string[]).includes(code);

/** Limits that have words. */
export const LIMITS = [
  'client',
  'key',
  'account',
  'group',
  'model',
  'route',
  'credit',
  'credit unknown',
] as const;
export const isKnownLimit = (limit: string): limit is (typeof LIMITS)[number] =>
  (LIMITS as readonly string[]).includes(limit);
