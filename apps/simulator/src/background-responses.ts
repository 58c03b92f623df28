import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from './answer.ts';
import type { StreamEvent } from './formats/format.ts';
import { openaiError } from './formats/openai-error.ts';
import { openaiResponses, writeResponse } from './formats/openai-responses.ts';

/** How long a job takes where its script does not say. */
const TAKES_MS = 400;
/** Of its time a job waits for so much until it begins. */
const QUEUED = 0.2;

type Status = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

interface Job {
  readonly answer: Answer;
  /** Of the answer as a stream, where it was asked for as one. */
  readonly events: readonly StreamEvent[] | undefined;
  readonly beganAt: number;
  readonly takesMs: number;
  /** It ends without an answer, and is charged nothing. */
  readonly fails: boolean;
  readonly timer: NodeJS.Timeout;
  readonly ended: (answer: Answer) => void;
  cancelled: Answer | undefined;
}

interface Begun {
  readonly credential: string;
  readonly answer: Answer;
  readonly events: readonly StreamEvent[] | undefined;
  readonly takesMs: number | undefined;
  readonly fails: boolean;
  readonly ended: (answer: Answer) => void;
}

interface Resumed {
  readonly credential: string;
  readonly id: string;
  readonly after: number;
  readonly cutAfter?: number | undefined;
}

/** Answers of Responses that go on after their requests, by the simulator's clock. */
export class BackgroundResponses {
  private readonly byCredential = new Map<string, Map<string, Job>>();
  private made = 0;

  /**
   * Begins one, and says what its request is answered. `ended` hears once what the vendor charges: at its end, or when it is
   * cancelled, of what there was by then.
   */
  begin({ credential, answer: said, events, takesMs = TAKES_MS, fails, ended }: Begun): {
    readonly id: string;
    readonly whole: object;
  } {
    // Other than an answer that is whole at once, the same request twice is two jobs.
    const suffix = (this.made += 1).toString(16).padStart(6, '0');
    const answer = { ...said, id: `${said.id}${suffix}` };
    const id = `resp_${answer.id}`;
    const timer = setTimeout(() => (fails ? undefined : ended(answer)), takesMs);
    timer.unref();
    const job: Job = {
      answer,
      events:
        events &&
        inBackground(
          JSON.parse(JSON.stringify(events).replaceAll(said.id, answer.id)) as StreamEvent[],
          fails ? writeFailed(answer) : undefined,
        ),
      beganAt: Date.now(),
      takesMs,
      fails,
      timer,
      ended,
      cancelled: undefined,
    };
    const jobs = this.byCredential.get(credential) ?? new Map<string, Job>();
    this.byCredential.set(credential, jobs.set(id, job));
    return { id, whole: describe(job) };
  }

  /**
   * Streams a job's events after one of them, each at its time; false for one that is no stream.
   *
   * @param cutAfter breaks off after so many; the job goes on.
   */
  async stream(reply: FastifyReply, { credential, id, after, cutAfter }: Resumed): Promise<boolean> {
    const job = this.byCredential.get(credential)?.get(id);
    if (!job?.events) return false;
    const { events, beganAt, takesMs } = job;
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    reply.raw.flushHeaders();
    for (const [index, { name, data }] of events.entries()) {
      if (index <= after) continue;
      const dueAt = beganAt + (takesMs * index) / (events.length - 1);
      await sleep(Math.max(0, dueAt - Date.now()));
      if (reply.raw.destroyed || job.cancelled) break;
      if (index === cutAfter) {
        reply.raw.destroy();
        return true;
      }
      reply.raw.write(`event: ${String(name)}\ndata: ${JSON.stringify(data)}\n\n`);
    }
    reply.raw.end();
    return true;
  }

  /** @param findAccount who asks; its jobs alone are found. */
  serve(
    server: FastifyInstance,
    path: string,
    findAccount: (request: FastifyRequest) => string | undefined,
  ): void {
    type Serve = (job: Job, id: string, credential: string) => unknown;
    const withJob = (request: FastifyRequest, reply: FastifyReply, answer: Serve): unknown => {
      const { id } = request.params as { id: string };
      const credential = findAccount(request);
      if (!credential) return reply.code(401).send(openaiError(401, 'No credential was sent.'));
      const job = this.byCredential.get(credential)?.get(id);
      if (!job) return reply.code(404).send(openaiError(404, `Response with id '${id}' not found.`));
      return answer(job, id, credential);
    };
    server.get<{ Querystring: { stream?: string; starting_after?: string } }>(
      `${path}/:id`,
      (request, reply) =>
        withJob(request, reply, async (job, id, credential) => {
          const { stream: asksForStream, starting_after: after = '-1' } = request.query;
          if (asksForStream !== 'true') return describe(job);
          if (await this.stream(reply, { credential, id, after: Number(after) })) return undefined;
          const message = 'This response was not created with stream=true, and cannot be streamed.';
          return reply.code(400).send(openaiError(400, message));
        }),
    );
    server.post(`${path}/:id/cancel`, (request, reply) =>
      withJob(request, reply, (job) => cancel(job, reply)),
    );
    server.delete(`${path}/:id`, (request, reply) =>
      withJob(request, reply, (_job, id, credential) => {
        this.byCredential.get(credential)?.delete(id);
        return { id, object: 'response', deleted: true };
      }),
    );
  }
}

function cancel(job: Job, reply: FastifyReply): unknown {
  const status = statusOf(job);
  if (status === 'completed' || status === 'incomplete' || status === 'failed')
    return reply.code(400).send(openaiError(400, `Cannot cancel a ${status} response.`));
  if (!job.cancelled) {
    clearTimeout(job.timer);
    job.cancelled = cutOff(job);
    job.ended(job.cancelled);
  }
  return describe(job);
}

const progressOf = ({ beganAt, takesMs }: Job): number =>
  takesMs === 0 ? 1 : Math.min(1, (Date.now() - beganAt) / takesMs);

function statusOf(job: Job): Status {
  if (job.cancelled) return 'cancelled';
  const progress = progressOf(job);
  if (progress < QUEUED) return 'queued';
  if (progress < 1) return 'in_progress';
  if (job.fails) return 'failed';
  return job.answer.finish === 'length' ? 'incomplete' : 'completed';
}

function describe(job: Job): object {
  const status = statusOf(job);
  const answer = job.cancelled ?? job.answer;
  if (status === 'failed') return writeFailed(answer);
  if (status === 'queued' || status === 'in_progress')
    return { ...writeResponse(answer, status, []), background: true };
  return { ...openaiResponses.whole(answer), status, background: true };
}

const writeFailed = (answer: Answer): object => ({
  ...writeResponse(answer, 'failed', []),
  usage: null,
  background: true,
  error: { code: 'server_error', message: 'The simulator was told to fail.' },
});

/** The events of a plain stream as they come of a job: it waits before it begins, and may fail in the middle. */
function inBackground(events: readonly StreamEvent[], failed: object | undefined): StreamEvent[] {
  const [created, ...rest] = events.map(({ data }) => toJob(data));
  const queued = toJob(created ?? {}, 'queued');
  const all = [queued, { ...queued, type: 'response.queued' }, ...rest];
  const kept = failed
    ? [...all.slice(0, Math.ceil(all.length / 2)), { type: 'response.failed', response: failed }]
    : all;
  return kept.map((event, sequence_number) => ({
    name: String('type' in event ? event.type : ''),
    data: { ...event, sequence_number },
  }));
}

const toJob = (event: object, status?: Status): object =>
  'response' in event && typeof event.response === 'object'
    ? { ...event, response: { ...event.response, background: true, ...(status && { status }) } }
    : event;

/** The answer as far as it was when it was cancelled: the vendor charges that. */
function cutOff(job: Job): Answer {
  const { answer } = job;
  const share = progressOf(job);
  const pieces = answer.pieces.slice(0, Math.floor(answer.pieces.length * share));
  const spent = {
    ...answer.spent,
    output: Math.floor(answer.spent.output * share),
    reasoning: Math.floor(answer.spent.reasoning * share),
  };
  return {
    ...answer,
    text: pieces.join(''),
    pieces,
    calls: [],
    spent,
    usage: answer.usage && spent,
    finish: 'stop',
  };
}
