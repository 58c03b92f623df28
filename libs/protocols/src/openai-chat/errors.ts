import { type Failure, findFailure } from '../failure.ts';
import { type JsonObject, listAt, objectAt, parseJson } from '../json.ts';
import { ERROR_KINDS, type RelayError } from '../relay-error.ts';

/** OpenAI's clients know by this code alone that the context is too short. */
export const saysContextTooLong = (body: string): boolean =>
  objectAt(parseJson(body), 'error')?.['code'] === 'context_length_exceeded';

/** The envelope that both of OpenAI's formats share. */
export function openaiErrorBody({ kind, message, param }: RelayError): JsonObject {
  const { type, code } = ERROR_KINDS[kind];
  return { error: { message, type, param, code } };
}

/** OpenRouter hangs the error of the provider behind it on the choice. */
export const findChatFailure = (event: unknown): Failure | undefined =>
  findFailure(event) ??
  listAt(event, 'choices')
    .map(findFailure)
    .find((each) => each !== undefined);
