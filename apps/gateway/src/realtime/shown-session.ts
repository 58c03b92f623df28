import { isObject, type JsonObject } from '@tollgate/protocols';

const objectAt = (owner: unknown, name: string): JsonObject | undefined => {
  const value = isObject(owner) ? owner[name] : undefined;
  return isObject(value) ? value : undefined;
};

const inputOf = (session: JsonObject): JsonObject | undefined =>
  objectAt(objectAt(session, 'audio'), 'input');

/** Whether an upstream answers what the user says without being asked for; undefined where it does not listen for that. */
export function readResponds(session: JsonObject): boolean | undefined {
  const detection = objectAt(inputOf(session), 'turn_detection');
  return detection && detection['create_response'] !== false;
}

/**
 * What a new session must be told before its client may: that no response begins by itself, and that nobody writes down what
 * is said. Undefined where it is so already.
 */
export function toOwnUpdate(session: JsonObject): JsonObject | undefined {
  const detection = objectAt(inputOf(session), 'turn_detection');
  const responds = readResponds(session) === true;
  const writes = objectAt(inputOf(session), 'transcription') !== undefined;
  if (!responds && !writes) return undefined;
  const input = {
    ...(responds ? { turn_detection: { ...detection, create_response: false } } : {}),
    ...(writes ? { transcription: null } : {}),
  };
  return { type: 'realtime', audio: { input } };
}

/** A session as its client asked for it: under its name of the model, and with the answers that we ask for in its place. */
export function showSession(session: JsonObject, model: string, responds: boolean): JsonObject {
  const { client_secret: _hidden, ...shown } = session;
  const input = inputOf(session);
  const detection = objectAt(input, 'turn_detection');
  const audio = detection && {
    ...objectAt(session, 'audio'),
    input: { ...input, turn_detection: { ...detection, create_response: responds } },
  };
  return { ...shown, model, ...(audio ? { audio } : {}) };
}

/** The limit of output of each response that states none; null for none. */
export function readOutputLimit(session: JsonObject): number | null {
  const { max_output_tokens: limit } = session;
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}
