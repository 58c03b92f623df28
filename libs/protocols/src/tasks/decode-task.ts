import type { JsonObject } from '../json.ts';
import type { RequestSummary } from '../codec.ts';
import type { ExplicitOutput } from '../output-fields.ts';
import { modelField } from '../schema.ts';
import { TASK_CODECS } from './registry.ts';
import type { TaskForm } from '../protocol.ts';

/** What is wrong, and where. */
interface FieldFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type ReadTask =
  | { readonly ok: true; readonly request: RequestSummary }
  | { readonly ok: false; readonly fault: FieldFault };

/** Checks the request of a task by its format, and reads what the relay must know. */
export function readTask(form: TaskForm, body: JsonObject, pathModel: string | undefined): ReadTask {
  const client = findTaskClient(form);
  const checked = client.schema.safeParse(withDefault(body, client.defaultModel));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return refuse(issue?.path ?? [], issue?.message ?? 'is wrong');
  }
  const named = modelField.safeParse(client.modelInBody ? (body['model'] ?? client.defaultModel) : pathModel);
  if (!named.success) return refuse(['model'], named.error.issues[0]?.message ?? 'is wrong');
  const stray = client.modelInBody ? undefined : findStrayModel(body, named.data);
  if (stray) return { ok: false, fault: stray };
  const read = client.output?.(body) ?? { ok: true, output: WRITES_NOTHING };
  if (!read.ok) return read;
  const { stream, stream_options: options } = body as {
    stream?: unknown;
    stream_options?: { include_usage?: unknown } | null;
  };
  // Forms hold texts alone.
  const isAsked =
    client.streams?.(body) ??
    (stream === true || (client.form !== undefined && /^true$/i.test(String(stream))));
  const streams = client.output !== undefined && isAsked;
  return {
    ok: true,
    request: {
      model: named.data,
      stream: streams,
      includeUsage: options?.include_usage === true,
      output: read.output,
    },
  };
}

export function findTaskClient({ task, format }: TaskForm) {
  const client = TASK_CODECS[task].clients[format];
  if (!client) throw new Error(`no client asks to ${task} in the format ${format}`);
  return client;
}

const WRITES_NOTHING: ExplicitOutput = { limit: null, raisedTo: 0, beside: 0, answers: 0 };

const withDefault = (body: JsonObject, model: string | undefined): JsonObject =>
  model !== undefined && (body['model'] === undefined || body['model'] === null) ? { ...body, model } : body;

/** One model would be billed and another one served where those in the body differ from that of the path. */
function findStrayModel(body: JsonObject, model: string): FieldFault | undefined {
  const requests: readonly unknown[] = Array.isArray(body['requests']) ? body['requests'] : [body];
  for (const [index, request] of requests.entries()) {
    const named = (request as JsonObject)['model'];
    if (named === undefined || named === null || named === model || named === `models/${model}`) continue;
    const path = 'requests' in body ? ['requests', index, 'model'] : ['model'];
    return { path, message: 'must be the model of the path' };
  }
  return undefined;
}

const refuse = (path: readonly PropertyKey[], message: string): ReadTask => ({
  ok: false,
  fault: { path, message },
});
