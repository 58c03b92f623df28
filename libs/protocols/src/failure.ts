import { isContextTooLong } from './context-length.ts';
import { isObject, type JsonObject, someTextAt, textAt } from './json.ts';
import { relayError, type RelayError } from './relay-error.ts';

/** What an upstream says went wrong, in place of an answer or of the rest of one. */
export interface Failure {
  /** Its words; undefined where it has none. */
  readonly message: string | undefined;
  /** The status that says the same: nobody says it in a stream that began with 200. */
  readonly status: number;
}

/** Codes, types and statuses of all vendors by what they mean; the first that is found counts. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [
    /context_length_exceeded|invalid_(?:request|prompt|argument|image|base64)|^image_|content_policy|failed_precondition/i,
    400,
  ],
  [/request_too_large/i, 413],
  [/rate_?limit|insufficient_quota|quota|resource_exhausted|too_many_requests|throttl/i, 429],
  [/overloaded/i, 529],
  [/unavailable|busy|capacity/i, 503],
  [/time_?out|deadline/i, 504],
];

/** The error of a value such as `{"error": …}`; undefined where it has none. */
export function findFailure(value: unknown): Failure | undefined {
  const error = isObject(value) ? value['error'] : undefined;
  if (typeof error === 'string' && error !== '') return toFailure({ message: error });
  return isObject(error) ? toFailure(error) : undefined;
}

/** What an error object says: `message` with a `code`, `type` or `status`, as numbers or as words. */
export function toFailure(error: JsonObject): Failure {
  const message = someTextAt(error, 'message') ?? someTextAt(error, 'msg') ?? someTextAt(error, 'detail');
  const said = ['code', 'status', 'type'].map((key) => error[key]);
  const number = said.map(Number).find((each) => each >= 400 && each < 600);
  if (isContextTooLong(`${textAt(error, 'code')} ${message ?? ''}`)) return { message, status: 400 };
  const words = said.filter((each) => typeof each === 'string');
  const named = STATUSES.find(([pattern]) => words.some((word) => pattern.test(word)));
  return { message, status: number ?? named?.[1] ?? 500 };
}

const KINDS = {
  400: 'invalid_request',
  408: 'upstream_timeout',
  413: 'payload_too_large',
  422: 'invalid_request',
  429: 'upstream_rate_limited',
  503: 'upstream_unavailable',
  504: 'upstream_timeout',
  529: 'upstream_unavailable',
} as const;

/** A failure inside an answer, as its caller is told of it. */
export function failureError({ message, status }: Failure): RelayError {
  const words = message ?? 'The upstream broke off.';
  if (isContextTooLong(words)) return relayError('context_too_long', words);
  return relayError(status in KINDS ? KINDS[status as keyof typeof KINDS] : 'upstream_error', words);
}
