import { isUtf8 } from 'node:buffer';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { Codec, RequestContext, RequestSummary } from './codec.ts';
import { findOtherCase } from './field-spelling.ts';
import { isObject, type JsonObject } from './json.ts';
import { readOutput } from './output-fields.ts';
import type { TaskForm, UpstreamAction } from './protocol.ts';
import { CODECS } from './registry.ts';
import { relayError, type RelayError } from './relay-error.ts';
import { isPlain, modelField } from './schema.ts';
import { duplicateMember, surveyJson } from './survey-json.ts';
import { readTask } from './tasks/decode-task.ts';

type DecodedRequest =
  | {
      readonly ok: true;
      readonly request: RequestSummary;
      /** Read as its upstream will read it. */
      readonly body: Readonly<Record<string, unknown>>;
      /** The same as bytes: those that came, where nothing had to be said otherwise. */
      readonly bytes: Buffer;
    }
  | { readonly ok: false; readonly error: RelayError };

/** What is known of a request beside its body. */
interface KnownOfRequest {
  /** The model where the path names it. */
  readonly pathModel?: string | undefined;
  readonly action?: UpstreamAction | undefined;
  /** In place of a conversation. */
  readonly task?: TaskForm | undefined;
  /** What was counted in the bytes before. */
  readonly survey?: ReturnType<typeof surveyJson>;
}

/**
 * Checks a request body against the field tables of the relay interface and reads what the relay must know. Unknown fields
 * pass, but no field may stand twice at the top level or one level below, nor one of the format in letters of another case. An
 * error names the field as a path, in its message and in `param`.
 */
export function decodeRequest(
  protocol: ClientProtocol,
  bytes: Buffer,
  { pathModel, action = 'generate', task, survey = surveyJson(bytes, Infinity) }: KnownOfRequest = {},
): DecodedRequest {
  const parsed = parseBody(bytes, survey);
  if (!parsed.ok) return parsed;
  const { came } = parsed;
  const other = findOtherCase(protocol, task, came);
  if (other) return refuse(`${other.name}: ${other.message}.`, other.name);
  if (task) return decodeTask(task, bytes, came, pathModel);
  const codec = CODECS[protocol];
  const respelled = codec.respell?.(came) ?? { ok: true, body: came, changed: false };
  if (!respelled.ok) {
    const path = fieldPath(respelled.path);
    return refuse(`${path}: stands there in both of its spellings; state one.`, path);
  }
  const { body } = respelled;
  const context = { pathModel, action };
  const named = codec.modelInBody || isPlain.model(pathModel) ? undefined : modelField.safeParse(pathModel);
  if (named?.success === false) return refuse(`model: ${named.error.issues[0]?.message}.`, 'model');
  const refused = codec.isPlainRequest(body, context) ? undefined : checkSchema(codec, body, context);
  if (refused) return refused;
  const read = readOutput(codec.outputFields, body);
  if (!read.ok) {
    const path = fieldPath(read.fault.path);
    return refuse(`${path}: ${read.fault.message}.`, path);
  }
  return {
    ok: true,
    request: { ...codec.readRequest(body, context), output: read.output },
    body,
    bytes: respelled.changed ? Buffer.from(JSON.stringify(body)) : bytes,
  };
}

function checkSchema(
  { requestSchema }: Codec,
  body: JsonObject,
  context: RequestContext,
): ReturnType<typeof refuse> | undefined {
  const checked = requestSchema(context).safeParse(body);
  if (checked.success) return undefined;
  const [issue] = checked.error.issues;
  const path = fieldPath(issue?.path ?? []);
  return refuse(
    path === '' ? `${issue?.message}.` : `${path}: ${issue?.message}.`,
    path === '' ? null : path,
  );
}

type ParsedBody = { readonly ok: true; readonly came: JsonObject } | Extract<DecodedRequest, { ok: false }>;

function parseBody(bytes: Buffer, survey: ReturnType<typeof surveyJson>): ParsedBody {
  if (survey.tooDeep) return refuse('The request body is nested too deeply.', null);
  // What we read as a sign of its own others leave out, and the name or the value is another one then.
  if (!isUtf8(bytes)) return refuse('The request body is not valid UTF-8.', null);
  let came: unknown;
  try {
    came = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const where = bytes.length === 0 ? 'it is empty' : (error as Error).message;
    return refuse(`The request body is not valid JSON: ${where}.`, null);
  }
  if (!isObject(came)) return refuse('The request body must be a JSON object.', null);
  const twice = duplicateMember(bytes, came, survey);
  if (twice !== undefined) return refuse(`${twice}: stands in the request twice; send it once.`, twice);
  return { ok: true, came };
}

/** Tasks have no spellings. */
function decodeTask(
  task: TaskForm,
  bytes: Buffer,
  body: JsonObject,
  pathModel: string | undefined,
): DecodedRequest {
  const read = readTask(task, body, pathModel);
  if (read.ok) return { ok: true, request: read.request, body, bytes };
  const path = fieldPath(read.fault.path);
  return refuse(`${path}: ${read.fault.message}.`, path);
}

/** Such as `messages[1].role`. */
const fieldPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');

const refuse = (message: string, param: string | null): Extract<DecodedRequest, { ok: false }> => ({
  ok: false,
  error: relayError('invalid_request', message, { param }),
});
