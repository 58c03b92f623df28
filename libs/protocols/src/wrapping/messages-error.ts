import { messagesErrorBody } from '../anthropic-messages/errors.ts';
import { failureError } from '../failure.ts';
import { isObject, type JsonObject, objectAt, someTextAt, textAt } from '../json.ts';

/** A cloud's own refusal in the envelope of the vendor whose format it carries; undefined where it has that already. */
export function toMessagesError(json: unknown, status: number): JsonObject | undefined {
  const [body] = Array.isArray(json) ? (json as unknown[]) : [json];
  if (!isObject(body) || textAt(body, 'type') !== '') return undefined;
  const message =
    someTextAt(body, 'message') ??
    someTextAt(body, 'Message') ??
    someTextAt(objectAt(body, 'error'), 'message');
  return message === undefined ? undefined : messagesErrorBody(failureError({ message, status }), undefined);
}
