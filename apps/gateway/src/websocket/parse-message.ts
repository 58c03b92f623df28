import {
  isObject,
  type JsonObject,
  parseJson,
  relayError,
  type RelayError,
  surveyJson,
} from '@tollgate/protocols';

type ParsedMessage =
  | { readonly ok: true; readonly json: JsonObject; readonly survey: ReturnType<typeof surveyJson> }
  | { readonly ok: false; readonly error: RelayError };

/**
 * One message of a client over a WebSocket, which is one JSON object.
 *
 * @param maxValues JSON values in it.
 */
export function parseMessage(bytes: Buffer, maxValues: number): ParsedMessage {
  const survey = surveyJson(bytes, maxValues);
  if (survey.tooMany) return { ok: false, error: TOO_MANY_VALUES };
  const json = survey.tooDeep ? undefined : parseJson(bytes.toString('utf8'));
  return isObject(json) ? { ok: true, json, survey } : { ok: false, error: NO_OBJECT };
}

const TOO_MANY_VALUES = relayError(
  'payload_too_large',
  'The message holds more JSON values than are accepted. Send a smaller one.',
);
const NO_OBJECT = relayError('invalid_request', 'A message must be one JSON object, not nested too deeply.');
