import { findOwn } from '@tollgate/vocabulary';
import type { Failure } from '../failure.ts';
import { isContextTooLong } from '../context-length.ts';
import { isObject, objectAt, someTextAt, textAt } from '../json.ts';

/**
 * What the exceptions of Amazon Bedrock say as statuses, by their names in small letters. Their own status is not always
 * that: a quota that is used up is told with 400.
 */
const STATUSES: Readonly<Record<string, number>> = {
  validationexception: 400,
  accessdeniedexception: 403,
  // Of all services of Amazon, and about who asks alone.
  expiredtokenexception: 401,
  invalidclienttokenidexception: 401,
  missingauthenticationtokenexception: 401,
  unrecognizedclientexception: 401,
  resourcenotfoundexception: 404,
  modeltimeoutexception: 408,
  modelerrorexception: 424,
  modelstreamerrorexception: 424,
  throttlingexception: 429,
  modelnotreadyexception: 429,
  servicequotaexceededexception: 429,
  internalserverexception: 500,
  serviceunavailableexception: 503,
};

/** A header such as `ValidationException:http://internal.amazon.com/…` names one. Undefined for one that is not known. */
export const findExceptionStatus = (name: string): number | undefined => {
  const plain = name.split(':')[0]?.trim().toLowerCase() ?? '';
  return findOwn(STATUSES, plain);
};

/** An exception as a failure; what nobody knows is the upstream's own fault. */
export function exceptionFailure(name: string, message: string | undefined): Failure {
  if (isContextTooLong(message ?? '')) return { message, status: 400 };
  return { message, status: findExceptionStatus(name) ?? 500 };
}

/** An event whose one member is named after an exception, or an answer that could not be put together. */
export function findConverseFailure(eventOrBody: unknown): Failure | undefined {
  if (!isObject(eventOrBody)) return undefined;
  if (isMalformed(eventOrBody) && objectAt(eventOrBody, 'output'))
    return { message: 'The model wrote an answer that cannot be read.', status: 502 };
  for (const name in eventOrBody)
    if (name.endsWith('Exception')) return exceptionFailure(name, converseErrorMessage(eventOrBody[name]));
  return undefined;
}

const isMalformed = (body: unknown): boolean => textAt(body, 'stopReason').startsWith('malformed_');

/** Some of its services write the member large. */
export const converseErrorMessage = (body: unknown): string | undefined =>
  someTextAt(body, 'message') ?? someTextAt(body, 'Message');
