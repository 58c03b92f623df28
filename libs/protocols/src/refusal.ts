import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from './json.ts';

/** What an upstream refuses: the credential that asks, the contents of what is asked, or one operation to a good credential. */
type Refused = 'credential' | 'contents' | 'operation';

/**
 * Google's reasons (`google.rpc.ErrorInfo`) that hold for whatever a credential asks. `IAM_PERMISSION_DENIED` and
 * `API_KEY_SERVICE_BLOCKED` do not: they may be about one file, one model or one method.
 */
const CREDENTIAL_REASONS: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_HTTP_REFERRER_BLOCKED',
  'API_KEY_IP_ADDRESS_BLOCKED',
  'CONSUMER_INVALID',
  'CONSUMER_SUSPENDED',
  'ACCESS_TOKEN_EXPIRED',
  'ACCESS_TOKEN_TYPE_UNSUPPORTED',
  'ACCOUNT_STATE_INVALID',
  'CREDENTIALS_MISSING',
]);

/** Codes and types of OpenAI, Anthropic and those who took theirs over. `permission_error` may be about one model. */
const CREDENTIAL_CODES: ReadonlySet<string> = new Set([
  'account_deactivated',
  'authentication_error',
  'invalid_api_key',
  'invalid_authentication_error',
]);

/** The beginnings of messages of Google and Amazon, where the same code is also used for less. */
const CREDENTIAL_WORDS = [
  /^Your API key was reported as leaked/,
  /^Authentication failed: /,
  /^The request signature we calculated does not match the signature you provided/,
];

const CONTENT_CODES: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_blocked',
  'content_policy_violation',
  'DataInspectionFailed',
  'data_inspection_failed',
  'moderation_blocked',
  'sensitive_words_detected',
]);

/** OpenAI says 401 of a key that may do some things, and not this one. */
const OPERATION_WORDS = /^You have insufficient permissions for this operation|\bMissing scopes: /;

/** xAI says `permission-denied` of contents and of accounts alike; OpenRouter says 403 of both. */
const CONTENT_WORDS = [
  /^Content violates usage guidelines\b/,
  /requires moderation\b.{0,200}\bflagged/,
  /\binput was flagged\b/,
];

/**
 * What a refusal with status 400, 401 or 403 is about; undefined where its vendor does not say. Only what a caller cannot bring
 * about counts against a credential: else one caller could take it from all.
 */
export function findRefused(body: unknown): Refused | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return undefined;
  const error = objectAt(first, 'error') ?? first;
  const words =
    someTextAt(error, 'message') ?? someTextAt(error, 'Message') ?? someTextAt(first, 'error') ?? '';
  const codes = ['code', 'type'].map((name) => textAt(error, name));
  if (isAboutContents(error, codes, words)) return 'contents';
  if (OPERATION_WORDS.test(words)) return 'operation';
  return isAboutCredential(error, codes, words) ? 'credential' : undefined;
}

const isAboutContents = (error: JsonObject, codes: readonly string[], words: string): boolean =>
  codes.some((code) => CONTENT_CODES.has(code)) ||
  CONTENT_WORDS.some((pattern) => pattern.test(words)) ||
  objectAt(error, 'metadata')?.['flagged_input'] !== undefined;

const isAboutCredential = (error: JsonObject, codes: readonly string[], words: string): boolean =>
  codes.some((code) => CREDENTIAL_CODES.has(code)) ||
  CREDENTIAL_WORDS.some((pattern) => pattern.test(words)) ||
  listAt(error, 'details').some((detail) => CREDENTIAL_REASONS.has(textAt(detail, 'reason')));
