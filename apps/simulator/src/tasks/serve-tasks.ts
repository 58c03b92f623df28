import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VendorBill } from '../bill/bill.ts';
import type { DefaultScripts } from '../default-scripts.ts';
import type { StreamEvent } from '../formats/format.ts';
import { isObject, type Json } from '../question.ts';
import { Refused } from '../rules/rule.ts';
import { findScript, type Script, withoutScript } from '../script.ts';
import type { ServedAnswers } from '../served.ts';
import { damaged, writeData, writeStream } from '../write-stream.ts';
import { complete } from './complete.ts';
import { asksForPicture, geminiDraw, imagen } from './draw-google.ts';
import { openaiDraw, openaiEdit } from './draw-openai.ts';
import { cohereEmbed } from './embed-cohere.ts';
import { geminiBatchEmbed, geminiSingleEmbed } from './embed-gemini.ts';
import { jinaEmbed, openaiEmbed } from './embed-openai.ts';
import { vertexEmbed, vertexPredict } from './embed-vertex.ts';
import { moderate } from './moderate.ts';
import { cohereRerank, jinaRerank, teiRerank } from './rerank.ts';
import { speak } from './speak.ts';
import type { TaskDoor, TaskQuestion } from './task-door.ts';
import { transcribe, translate } from './transcribe.ts';

/** By path; Gemini's are named by the method behind the colon. */
const DOORS: Readonly<Record<string, TaskDoor>> = {
  '/v1/embeddings': openaiEmbed,
  '/v2/embed': cohereEmbed,
  '/v1/rerank': jinaRerank,
  '/v2/rerank': cohereRerank,
  '/rerank': teiRerank,
  '/v1/moderations': moderate,
  '/v1/audio/transcriptions': transcribe,
  '/v1/audio/translations': translate,
  '/v1/audio/speech': speak,
  '/v1/completions': complete,
  '/v1/images/generations': openaiDraw,
  '/v1/images/edits': openaiEdit,
};
const METHODS: Readonly<Record<string, TaskDoor>> = {
  embedContent: geminiSingleEmbed,
  batchEmbedContents: geminiBatchEmbed,
  predict: imagen,
};
/** Vertex has the same names for others; its models that drew by predictions were shut down in June 2026. */
const VERTEX_METHODS: Readonly<Record<string, TaskDoor>> = {
  embedContent: vertexEmbed,
  predict: vertexPredict,
};

/** What all of the simulator shares. */
interface Shared {
  readonly scripts: DefaultScripts;
  readonly bill: VendorBill;
  readonly served: ServedAnswers;
  readonly record: (request: { method: string; url: string; headers: Json; body: string }) => void;
}

/** Hosts of vendors who do little else, below `/vendors/<name>`: what is not here, they have not. */
const VENDOR_DOORS: Readonly<Record<string, TaskDoor>> = {
  '/vendors/cohere/v2/embed': cohereEmbed,
  '/vendors/cohere/v2/rerank': cohereRerank,
  '/vendors/jina/v1/embeddings': jinaEmbed,
  '/vendors/jina/v1/rerank': jinaRerank,
};

export function addTasks(server: FastifyInstance, shared: Shared): void {
  for (const [path, door] of Object.entries({ ...DOORS, ...VENDOR_DOORS }))
    server.post(path, (request, reply) => serve(request, reply, { door, model: undefined }, shared));
}

/**
 * Answers a method of a Gemini model that is a task; undefined for all others.
 *
 * @param account who asks, where a cloud carries the vendor and has looked at its own credential.
 */
export function serveMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  shared: Shared,
  account?: string,
): Promise<unknown> | undefined {
  const [path = ''] = request.url.split('?');
  const [, model, method = ''] = /\/models\/(.+):(\w+)$/.exec(decodeURIComponent(path)) ?? [];
  const methods = account === undefined ? METHODS : VERTEX_METHODS;
  const door = methods[method] ?? (method === 'generateContent' ? drawingDoor(request) : undefined);
  return door && serve(request, reply, { door, model, account }, shared);
}

function drawingDoor({ body }: FastifyRequest): TaskDoor | undefined {
  const text = String(body ?? '');
  if (!text.includes('"IMAGE"')) return undefined;
  const asked: unknown = JSON.parse(text);
  return isObject(asked) && asksForPicture(asked) ? geminiDraw : undefined;
}

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  of: { readonly door: TaskDoor; readonly model: string | undefined; readonly account?: string | undefined },
  { scripts, bill, served, record }: Shared,
): Promise<unknown> {
  const { door, model: pathModel } = of;
  const { method, url, headers } = request;
  const text = String(request.body ?? '');
  record({ method, url, headers, body: text });
  const fail = (status: number, message: string) => reply.code(status).send(door.error(status, message));
  const credential = of.account ?? door.credential(headers);
  if (!credential) return fail(401, 'No credential was sent.');
  if (door.form && !String(headers['content-type']).startsWith('multipart/form-data'))
    return fail(400, 'Could not parse multipart form');
  let body: Json;
  let question: TaskQuestion;
  let script: Script;
  try {
    const sent: unknown = JSON.parse(text);
    if (!isObject(sent)) throw new Error('The body must be a JSON object.');
    body = sent;
    const model = pathModel ?? (typeof body['model'] === 'string' ? body['model'] : '');
    const refusal = door.refuse(
      { body, model, counts: false, stream: false, account: credential, header: () => undefined },
      'sent',
    );
    if (refusal) throw new Refused(refusal);
    question = door.read(body, pathModel);
    script = findScript(listTexts(question).join('\n'), undefined, scripts.of({ credential, model }));
  } catch (error) {
    if (!(error instanceof Refused)) return fail(400, (error as Error).message);
    const { status, message } = error.refusal;
    return reply.code(status).send(door.error(status, message, error.refusal));
  }
  if (script.hang || script.cut_before_headers) {
    reply.hijack();
    if (script.cut_before_headers) reply.raw.socket?.destroy();
    return undefined;
  }
  if (script.first_delay_ms) await sleep(script.first_delay_ms);
  if (script.status !== undefined) {
    if (script.retry_after_s !== undefined) void reply.header('retry-after', String(script.retry_after_s));
    return fail(script.status, `The simulator was told to fail with ${script.status}.`);
  }
  const answer = door.answer(question, body, script);
  if (script.cut_after_bytes !== undefined) {
    reply.hijack();
    await sendPart(reply.raw, JSON.stringify(answer.body), script.cut_after_bytes);
    return undefined;
  }
  const asked = withoutScript(listTexts(question)[0] ?? '');
  bill.add(credential, asked, answer.billed);
  served.add({ at_ms: Date.now(), model: question.model, asked, usage: toUsage(answer) });
  return send(reply, answer, { door, script, asksForEvents: asksForEvents(body) });
}

const asksForEvents = (body: Json): boolean => body['stream'] === true || body['stream_format'] === 'sse';

/** As bytes, as events, as JSON or as text. */
async function send(
  reply: FastifyReply,
  answer: ReturnType<TaskDoor['answer']>,
  of: { readonly door: TaskDoor; readonly script: Script; readonly asksForEvents: boolean },
): Promise<unknown> {
  const { door, script } = of;
  if (answer.bytes) {
    const { type, pieces } = answer.bytes;
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': script.content_type ?? type });
    reply.raw.flushHeaders();
    await writeStream(reply.raw, { chunks: pieces, terminator: '' }, script);
    return undefined;
  }
  if (answer.events && (script.stream ?? of.asksForEvents)) {
    reply.hijack();
    await writeEvents(reply.raw, answer.events, { door, script, terminator: answer.terminator ?? '' });
    return undefined;
  }
  const isText = typeof answer.body === 'string';
  return reply
    .header(
      'content-type',
      script.content_type ?? (isText ? 'text/plain; charset=utf-8' : 'application/json'),
    )
    .send(isText ? answer.body : JSON.stringify(answer.body));
}

const listTexts = ({ inputs }: TaskQuestion): string[] => inputs.filter((each) => typeof each === 'string');

/** The beginning of an answer, and nothing behind it. */
async function sendPart(response: FastifyReply['raw'], whole: string, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(whole.length) });
  await new Promise<void>((resolve) => response.write(whole.slice(0, bytes), () => resolve()));
  response.socket?.destroySoon();
}

async function writeEvents(
  response: FastifyReply['raw'],
  events: readonly StreamEvent[],
  {
    door,
    script,
    terminator,
  }: { readonly door: TaskDoor; readonly script: Script; readonly terminator: string },
): Promise<void> {
  response.writeHead(200, {
    'content-type': script.content_type ?? 'text/event-stream',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  const chunks = damaged(events, script, door).map(
    (event) => `${event.name ? `event: ${event.name}\n` : ''}data: ${writeData(event)}\n\n`,
  );
  await writeStream(response, { chunks, terminator }, script);
}

const toUsage = ({ tokens, output = 0 }: { readonly tokens: number; readonly output?: number }) => ({
  input: tokens,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  audioIn: 0,
  audioOut: 0,
  imageIn: 0,
  imageOut: 0,
  cachedAudio: 0,
  cachedImage: 0,
});
