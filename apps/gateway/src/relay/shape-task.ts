import {
  createBytesMeter,
  createLargeMeter,
  createMeter,
  meterTask,
  meterTaskStream,
} from '@tollgate/metering';
import {
  createResponseRewriter,
  findTaskUpstream,
  isObject,
  parseJson,
  TASK_CODECS,
  type TaskForm,
  UNREADABLE_ANSWER,
} from '@tollgate/protocols';
import { INPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { Answer } from '../forward/answer.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { streamType } from './early-stream.ts';
import { type RequestEstimate, rewrite, rewriterFor, type Shaped } from './shaped.ts';

/** The answers to a task: bytes stay as they are where they are what was asked for. */
export function shapeTask(
  forwarded: Answer & { body: Buffer; json: unknown; further?: readonly unknown[]; task: TaskForm },
  request: OutgoingRequest,
  estimate: RequestEstimate,
): Shaped {
  const { candidate, task, body, toAnswer } = forwarded;
  const answers = [forwarded.json, ...(forwarded.further ?? [])];
  const metered = meterTask(candidate.protocol, task, answers, estimate);
  const answer = toAnswer?.(answers, sumTokens(metered.tokens, INPUT_TOKEN_KINDS)) ?? 'as it is';
  if (answer === 'unreadable') return { kind: 'refused', error: UNREADABLE_ANSWER };
  const rewriter = rewriterFor(forwarded, request);
  const meter = { ...UNFED, finish: () => metered };
  if (typeof answer === 'object' && 'text' in answer)
    return { kind: 'whole', contentType: PLAIN_TEXT, meter, body: Buffer.from(answer.text), dropped: [] };
  const whole = answer === 'as it is' ? rewrite(rewriter, body) : Buffer.from(JSON.stringify(answer.body));
  if (request.stream) {
    const contentType = streamType(request.framing);
    return { kind: 'whole', contentType, meter, body: replayTask(task, whole, request), dropped: [] };
  }
  const contentType = answer === 'as it is' ? undefined : 'application/json';
  return { kind: 'whole', contentType, meter, body: whole, dropped: [] };
}

/** What passes as it comes: events, bytes that are no JSON, or an answer that is too large to be held. */
export function shapeTaskStream(
  forwarded: Answer & { task: TaskForm },
  request: OutgoingRequest,
  estimate: RequestEstimate,
): Shaped {
  const { candidate, task, framing, bytesType: type, headers } = forwarded;
  const { protocol, client } = candidate;
  const { bytes } = findTaskUpstream(task);
  if (framing === 'none')
    return {
      kind: 'stream',
      framing,
      contentType: bytes && toBytesType(headers['content-type']),
      meter: bytes ? createBytesMeter(estimate) : createLargeMeter(protocol, task, estimate),
      rewriter: createResponseRewriter(request.protocol, { stream: 'none' }),
    };
  const meter = meterTaskStream(
    createMeter(protocol, {
      stream: framing,
      task,
      requestEstimate: estimate.tokens,
      reportsCost: client.upstream.reports_cost,
    }),
    estimate,
  );
  // Events that only the relay has asked for.
  if (bytes && !request.stream)
    return { kind: 'stream', framing: 'none', contentType: type, meter, rewriter: bytes.unwrap() };
  return {
    kind: 'stream',
    framing,
    contentType: undefined,
    meter,
    rewriter: rewriterFor(forwarded, request),
  };
}

/** Nothing that a browser would show. */
const toBytesType = (said: string | string[] | undefined): string =>
  typeof said === 'string' && /^audio\/[\w.+-]+(?:\s*;|$)/i.test(said) ? said : 'application/octet-stream';

/** For an upstream that answers whole what was to be streamed. */
function replayTask({ task }: TaskForm, whole: Buffer, { includeUsage }: OutgoingRequest): Buffer {
  const answer = parseJson(whole.toString('utf8'));
  const events = isObject(answer) ? (TASK_CODECS[task].streams?.replay(answer, { includeUsage }) ?? []) : [];
  const texts = events.map(({ name, data }) => {
    const text = data === '[DONE]' ? data : JSON.stringify(data);
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return Buffer.from(texts.join(''));
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Of an answer that came whole. */
const UNFED = {
  feed: () => {},
  last: () => undefined,
  end: () => {},
  complete: () => true,
  failed: () => false,
  finishReasons: () => [],
};
