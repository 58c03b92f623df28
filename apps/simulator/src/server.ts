import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Answer, answerTo, countWords } from './answer.ts';
import { BackgroundResponses } from './background-responses.ts';
import { createVendorBill, type VendorBill } from './bill/bill.ts';
import { addBillRoutes } from './bill/routes.ts';
import { addClouds } from './clouds/clouds.ts';
import type { Serve, Target } from './clouds/door.ts';
import { damageFrames } from './clouds/event-frames.ts';
import { type Extras, findExtras } from './extras.ts';
import { anthropicMessages } from './formats/anthropic-messages.ts';
import { bearer, type Format } from './formats/format.ts';
import { gemini } from './formats/gemini.ts';
import { openaiChat } from './formats/openai-chat.ts';
import { openaiError } from './formats/openai-error.ts';
import { openaiResponses } from './formats/openai-responses.ts';
import { listModels } from './list-models.ts';
import { isObject, type Json } from './question.ts';
import { createStoredResponses, type StoredResponsesOfAll } from './stored-responses.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { Refused, type VendorRequest } from './rules/rule.ts';
import { addRealtime } from './realtime/serve-realtime.ts';
import { addForms } from './tasks/form.ts';
import { addTasks, serveMethod } from './tasks/serve-tasks.ts';
import { createServedAnswers, type ServedAnswers } from './served.ts';
import { parseScript, type Script, findScript, withoutScript } from './script.ts';
import { createDefaultScripts, type ScriptScope, type DefaultScripts } from './default-scripts.ts';
import { addVendorDoors } from './vendors/vendor-doors.ts';
import { damaged, writeData, writeStream } from './write-stream.ts';

/** The routes of all formats, and the control routes below `/__sim`. */
export function createServer(): FastifyInstance {
  const server = Fastify({ bodyLimit: 64 * 1024 * 1024, forceCloseConnections: true });
  const recorder = createRecorder();
  const defaults = createDefaultScripts();
  const served = createServedAnswers();
  const stored = createStoredResponses();
  const bill = createVendorBill();
  const background = new BackgroundResponses();

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  addForms(server);

  const serve: Serve = (request, reply, target) =>
    answer(request, reply, target, { defaults, stored, recorder, served, bill, background });
  const route = (path: string, format: Format, mode: Target['mode'] = 'generate') =>
    server.post(path, (request, reply) =>
      serve(request, reply, { format, mode, model: undefined, array: false }),
    );

  const shared = {
    scripts: defaults,
    bill,
    served,
    record: recorder.add,
  };
  addTasks(server, shared);
  addRealtime(server, shared);
  route('/v1/chat/completions', openaiChat);
  route('/v1/responses', openaiResponses);
  route('/v1/responses/input_tokens', openaiResponses, 'count');
  background.serve(server, '/v1/responses', ({ method, url, headers }) => {
    recorder.add({ method, url, headers, body: '' });
    return bearer(headers);
  });
  route('/v1/messages', anthropicMessages);
  route('/v1/messages/count_tokens', anthropicMessages, 'count');
  for (const version of ['v1', 'v1beta']) {
    server.post(`/${version}/models/*`, (request, reply) => {
      const task = serveMethod(request, reply, shared);
      if (task) return task;
      const [path, query] = request.url.split('?');
      const match = /\/models\/(.+):(generateContent|streamGenerateContent|countTokens)$/.exec(
        decodeURIComponent(path ?? ''),
      );
      if (!match) return reply.code(404).send(gemini.error(404, 'Not found'));
      const mode = (
        { generateContent: 'generate', streamGenerateContent: 'stream', countTokens: 'count' } as const
      )[match[2] as 'generateContent'];
      return serve(request, reply, {
        format: gemini,
        mode,
        model: match[1],
        array: !/\balt=sse\b/.test(query ?? ''),
      });
    });
  }

  addClouds(server, serve, background, (from, to, account) => serveMethod(from, to, shared, account));
  addVendorDoors(server, serve);

  /** All that are kept, or those whose body has a text in it: bodies may be large. */
  server.get<{ Querystring: { text?: string } }>('/__sim/requests', ({ query: { text = '' } }) =>
    recorder.all().filter(({ body }) => body.includes(text)),
  );
  server.delete('/__sim/requests', (_request, reply) => {
    recorder.clear();
    return reply.code(204).send();
  });
  server.get('/__sim/served', () => served.all());
  server.put('/__sim/served', (request, reply) => {
    served.max = Number(request.body);
    return reply.code(204).send();
  });
  addBillRoutes(server, bill);
  server.put('/__sim/recording', (request, reply) => {
    recorder.enabled = request.body === 'true';
    recorder.clear();
    return reply.code(204).send();
  });
  server.put<{ Querystring: ScriptScope }>('/__sim/script', (request, reply) => {
    try {
      defaults.set(request.query, parseScript(String(request.body)));
    } catch (error) {
      return reply.code(400).send(openaiError(400, (error as Error).message));
    }
    return reply.code(204).send();
  });
  server.delete('/__sim/kept', (_request, reply) => {
    stored.clear();
    return reply.code(204).send();
  });
  server.delete('/__sim/script', (_request, reply) => {
    defaults.clear();
    return reply.code(204).send();
  });
  for (const version of ['v1', 'v1beta']) {
    server.get(`/${version}/models`, (request, reply) => listModels(request, reply, defaults, recorder));
  }
  server.get('/readyz', () => ({ status: 'ok' }));
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send(openaiError(404, `Invalid URL (${request.method} ${request.url})`)),
  );
  return server;
}

/** What the simulator remembers between requests. */
interface Memory {
  readonly defaults: DefaultScripts;
  readonly stored: StoredResponsesOfAll;
  readonly recorder: Recorder;
  readonly served: ServedAnswers;
  readonly bill: VendorBill;
  readonly background: BackgroundResponses;
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  target: Target,
  { defaults, stored: storedOfAll, recorder, served, bill, background }: Memory,
): Promise<unknown> {
  const { format, door } = target;
  const text = String(request.body ?? '');
  recorder.add({ method: request.method, url: request.url, headers: request.headers, body: text });
  void reply.headers(door?.headers ?? {});
  const errorBody = door?.error ?? format.error;
  const refuseWith = (status: number, body: object) =>
    reply
      .code(status)
      .headers(door?.errorHeaders?.(status) ?? {})
      .send(body);
  const fail = (status: number, message: string) => refuseWith(status, errorBody(status, message));
  const credential = door ? door.account : format.credential(request.headers);
  if (!credential) return fail(401, 'No credential was sent.');

  const stored = storedOfAll.of(credential);
  let resolved: Json;
  let question;
  let script: Script;
  let extras: Extras;
  try {
    const sent: unknown = JSON.parse(text);
    if (!isObject(sent)) throw new Error('The body must be a JSON object.');
    const body = door?.unwrap?.(sent) ?? sent;
    const model = target.model ?? (typeof body['model'] === 'string' ? body['model'] : '');
    const asked = vendorRequest(request, target, { body, model, account: credential }, sent);
    refuse(format, asked, 'sent');
    resolved = format.resolve?.(body, stored) ?? body;
    refuse(format, { ...asked, body: resolved }, 'lookedUp');
    question = format.read(resolved, { model: target.model ?? '', stream: target.mode === 'stream' });
    const written = request.headers['x-sim-script'] as string | undefined;
    script = findScript(question.lastUserText, written, defaults.of({ credential, model }));
    extras = findExtras(question.asked, script, format.tellable);
  } catch (error) {
    if (!(error instanceof Refused)) return fail(400, (error as Error).message);
    const { refusal } = error;
    return refuseWith(refusal.status, refusal.body ?? errorBody(refusal.status, refusal.message, refusal));
  }
  if (target.mode === 'count') {
    const tokens = question.texts.reduce((sum, each) => sum + countWords(each), 0);
    return door?.count?.(tokens) ?? format.countTokens(tokens);
  }

  if (script.hang) {
    reply.hijack();
    return undefined;
  }
  if (script.first_delay_ms) await sleep(script.first_delay_ms);
  if (script.cut_before_headers) {
    reply.hijack();
    reply.raw.socket?.destroy();
    return undefined;
  }
  if (script.status !== undefined) {
    if (script.retry_after_s !== undefined) void reply.header('retry-after', String(script.retry_after_s));
    return fail(script.status, `The simulator was told to fail with ${script.status}.`);
  }

  const said = answerTo(question, script, extras, format.stateOwner(credential));
  const asked = withoutScript(question.lastUserText);
  const charge = (answer: Answer) => {
    bill.add(credential, asked, format.bill(answer));
    served.add({ at_ms: Date.now(), model: question.model, asked, usage: answer.usage });
  };
  if (format === openaiResponses && resolved['background'] === true) {
    const events = (script.stream ?? question.stream) ? format.events(said, question) : undefined;
    const ended = (answer: Answer) => {
      charge(answer);
      format.keep?.(resolved, format.whole(answer) as Json, stored);
    };
    const takesMs = script.background_ms;
    const fails = script.background_fails === true;
    const begun = background.begin({ credential, answer: said, events, takesMs, fails, ended });
    const cutAfter = script.cut_after_chunks;
    if (await background.stream(reply, { credential, id: begun.id, after: -1, cutAfter })) return undefined;
    return begun.whole;
  }
  charge(said);
  const beside = door?.answerHeaders?.(said) ?? {};
  const whole = () => format.whole(said) as Json;
  format.keep?.(resolved, whole(), stored);
  if (!(script.stream ?? question.stream)) {
    return reply
      .headers(beside)
      .header('content-type', script.content_type ?? 'application/json')
      .send(JSON.stringify(door?.whole?.(whole()) ?? whole()));
  }
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': script.content_type ?? streamType(target),
    'cache-control': 'no-cache',
    ...door?.headers,
    ...beside,
  });
  reply.raw.flushHeaders();
  if (script.body_delay_ms) await sleep(script.body_delay_ms);
  const spoken = format.events(said, question);
  const events = damaged(door?.events?.(spoken) ?? spoken, script, format);
  const asArray = format === gemini && target.array;
  const { frame } = door ?? {};
  const chunks = frame
    ? damageFrames(
        events.map((event) => frame(event, writeData(event))),
        script,
      )
    : asArray
      ? events.map((event, index) => `${index === 0 ? '[' : ',\r\n'}${writeData(event)}`)
      : events.map((event) => `${event.name ? `event: ${event.name}\n` : ''}data: ${writeData(event)}\n\n`);
  await writeStream(reply.raw, { chunks, terminator: asArray ? ']' : format.terminator }, script);
  return undefined;
}

const streamType = ({ array, format, door }: Target): string => {
  if (door?.frame) return 'application/vnd.amazon.eventstream';
  return array && format === gemini ? 'application/json' : 'text/event-stream';
};

/** @throws Refused where the vendor refuses. */
function refuse({ refuse: find }: Format, request: VendorRequest, stage: 'sent' | 'lookedUp'): void {
  const refusal = find(request, stage);
  if (refusal) throw new Refused(refusal);
}

function vendorRequest(
  { headers }: FastifyRequest,
  { mode, door }: Target,
  of: Pick<VendorRequest, 'body' | 'model' | 'account'>,
  sent: Json,
): VendorRequest {
  const stated = door?.vendorHeaders?.(sent) ?? {};
  return {
    ...of,
    counts: mode === 'count',
    stream: mode === 'stream' || of.body['stream'] === true,
    header: (name) => {
      const value = stated[name] ?? headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    },
  };
}
