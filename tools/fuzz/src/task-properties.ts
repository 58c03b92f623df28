import { measureTask, type Metered, meterTask } from '@tollgate/metering';
import { decodeRequest, findAnswerRules, type JsonObject, parseJson, TASK_CODECS } from '@tollgate/protocols';
import { CLIENT_PROTOCOLS, type Task, TASK_FORMATS, type TaskFormat, TASKS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { at, isCount, isMap, isText, must } from './client-events.ts';
import { mutated, mutations, readable } from './mutate.ts';
import { requestLike } from './requests.ts';
import { TASK_ANSWERS, TASK_REQUESTS } from './tasks.ts';

interface TaskPair {
  readonly task: Task;
  readonly from: TaskFormat;
  readonly to: TaskFormat;
}

interface TaskOptions {
  readonly strict: boolean;
  readonly maxInputs: number | undefined;
  /** One for all calls. */
  readonly answer: Buffer;
}

const findProtocol = (task: Task, format: TaskFormat) =>
  CLIENT_PROTOCOLS.find((protocol) => TASK_CODECS[task].spokenBy[protocol]?.includes(format)) ??
  'openai-chat';

function mustBeMetered({ tokens, extras }: Metered): void {
  must(Object.values(tokens).every(isCount), 'Tokens are no whole numbers', tokens);
  must(Object.values(extras?.units ?? {}).every(isCount), 'Units are no whole numbers', extras);
}

/** What is known of a request before anybody has answered it: there is something to hold for. */
function mustBeMeasured(measured: ReturnType<typeof measureTask>): void {
  const { units, maxUnits } = measured;
  must(isCount(measured.tokens), 'The estimate is no whole number', measured);
  must(isCount(Math.ceil(measured.bound(null).input)), 'The bound is no number', measured.bound(null));
  for (const kinds of [units, maxUnits])
    must(Object.values(kinds).every(isCount), 'Units are no whole numbers', measured);
  must(Object.values(measured.written).every(isCount), 'What is written is no whole number', measured);
}

/** Reads, measures and converts the request of a task, and its answers, as the gateway does. */
function checkTask({ task, from, to }: TaskPair, bytes: Buffer, options: TaskOptions): void {
  const form = { task, format: from };
  const decoded = decodeRequest(findProtocol(task, from), bytes, { pathModel: 'm', task: form });
  if (!decoded.ok) return must(isText(decoded.error.message), 'An error without a message', decoded.error);
  const { limit, ...output } = decoded.request.output;
  must(limit === null || isCount(limit), 'The limit is no whole number', limit);
  must(Object.values(output).every(isCount), 'What may be written is no whole number', output);
  const measured = measureTask(form, decoded.body);
  mustBeMeasured(measured);
  const converted = TASK_CODECS[task].convert({
    from,
    to,
    bytes: decoded.bytes,
    body: decoded.body,
    model: 'm',
    namedModel: decoded.request.model,
    upstreamModel: 'upstream-model',
    maxInputs: options.maxInputs,
    strict: options.strict,
  });
  if (!converted.ok)
    return must(converted.error.message !== '', 'An error without a message', converted.error);
  for (const body of converted.bodies)
    must(isMap(parseJson(body.toString('utf8'))), 'The body is no JSON object', body.toString('utf8'));
  must(converted.dropped.every(isText), 'A note is no text', converted.dropped);
  const answer = parseJson(options.answer.toString('utf8'));
  const answers = converted.bodies.map(() => answer);
  findAnswerRules('openai-chat', { task, format: to }).findFailure(answer);
  mustBeMetered(
    meterTask(findProtocol(task, to), { task, format: to }, answers, {
      tokens: measured.tokens,
      units: measured.units,
      written: measured.written,
    }),
  );
  const shown = converted.toAnswer(answers, measured.tokens);
  if (typeof shown === 'object' && 'body' in shown) mustBeTaskAnswer(from, shown.body);
  const events = isMap(answer)
    ? (TASK_CODECS[task].streams?.replay(answer as JsonObject, { includeUsage: true }) ?? [])
    : [];
  must(
    events.every(({ data }) => isMap(data) || data === '[DONE]'),
    'An event is no object',
    events,
  );
}

/** Where the clients of a format look for what they asked for. */
const LISTS: Readonly<Partial<Record<TaskFormat, readonly (readonly string[])[]>>> = {
  openai: [['data'], ['text']],
  gemini: [['embeddings']],
  'gemini-single': [['embedding', 'values']],
  cohere: [['embeddings'], ['results']],
  jina: [['results']],
  imagen: [['predictions']],
};

function mustBeTaskAnswer(format: TaskFormat, body: JsonObject): void {
  const read = parseJson(JSON.stringify(body));
  must(isMap(read), 'The answer is no JSON object', body);
  must(
    (LISTS[format] ?? []).some((path) => typeof at(read, ...path) !== 'undefined'),
    'The answer lacks what was asked for',
    body,
  );
}

/** Every pair of a client's and an upstream's format between which a task is converted. */
const PAIRS: readonly TaskPair[] = TASKS.flatMap((task) => {
  const { clients, upstreams } = TASK_CODECS[task];
  const formats: readonly TaskFormat[] = TASK_FORMATS[task];
  return formats.flatMap((from) =>
    clients[from]
      ? formats.filter((to) => upstreams[to] !== undefined).map((to) => ({ task, from, to }))
      : [],
  );
});

export const TASK_PROPERTIES = PAIRS.map((pair) => {
  const { task, from, to } = pair;
  const answer = mutations.map((changes) =>
    readable(Buffer.from(mutated(TASK_ANSWERS[task][to] ?? null, changes))),
  );
  const options: fc.Arbitrary<TaskOptions> = fc.record({
    strict: fc.boolean(),
    maxInputs: fc.constantFrom(undefined, 1, 2),
    answer,
  });
  return {
    name: `what asks to ${task} in ${from} is converted to ${to} or refused, and its answer is metered`,
    property: fc.property(requestLike(TASK_REQUESTS[task][from] ?? null), options, (bytes, of) =>
      checkTask(pair, bytes, of),
    ),
  };
});
