import { createLargeMeter, createMeter, type Metered, meterTask } from '@tollgate/metering';
import {
  createResponseRewriter,
  isObject,
  parseJson,
  relayError,
  TASK_CODECS,
  type TaskForm,
} from '@tollgate/protocols';
import { INPUT_TOKEN_KINDS, sumTokens } from '@tollgate/vocabulary';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { streamType } from './early-stream.ts';
import { type Answered, type RequestEstimate, rewrite, rewriterFor, type Shaped } from './shaped.ts';

/** The answers to a task: bytes stay as they are where they are what was asked for. */
export function shapeTask(
  forwarded: Answered & { body: Buffer; json: unknown; further?: readonly unknown[]; task: TaskForm },
  request: OutgoingRequest,
  estimate: RequestEstimate,
): Shaped {
  const { candidate, task, body, toAnswer } = forwarded;
  const answers = [forwarded.json, ...(forwarded.further ?? [])];
  const metered = meterTask(candidate.protocol, task, answers, estimate);
  const answer = toAnswer?.(answers, sumTokens(metered.tokens, INPUT_TOKEN_KINDS)) ?? 'as it is';
  if (answer === 'unreadable') return { kind: 'refused', error: UNREADABLE };
  const rewriter = rewriterFor(forwarded, request);
  const meter = { ...UNFED, finish: () => metered };
  const whole = answer === 'as it is' ? rewrite(rewriter, body) : Buffer.from(JSON.stringify(answer.body));
  if (request.stream) {
    const contentType = streamType(request.framing);
    return { kind: 'whole', contentType, meter, body: replayTask(task, whole, request), dropped: [] };
  }
  const contentType = answer === 'as it is' ? undefined : 'application/json';
  return { kind: 'whole', contentType, meter, body: whole, dropped: [] };
}

/** What passes as it comes: events, or an answer that is too large to be held. */
export function shapeTaskStream(
  forwarded: Answered & { task: TaskForm },
  request: OutgoingRequest,
  estimate: RequestEstimate,
): Shaped {
  const { candidate, task, framing } = forwarded;
  const { protocol, client } = candidate;
  if (framing === 'none')
    return {
      kind: 'stream',
      framing,
      contentType: undefined,
      meter: createLargeMeter(protocol, task, estimate),
      rewriter: createResponseRewriter(request.protocol, { stream: 'none' }),
    };
  const meter = createMeter(protocol, {
    stream: framing,
    task,
    requestEstimate: estimate.tokens,
    reportsCost: client.upstream.reports_cost,
  });
  return {
    kind: 'stream',
    framing,
    contentType: undefined,
    meter: { ...meter, finish: (ending) => withPricedUnits(meter.finish(ending), estimate) },
    rewriter: rewriterFor(forwarded, request),
  };
}

/** What passes of units that have no price is billed by its tokens. */
function withPricedUnits({ extras, ...metered }: Metered, { units }: RequestEstimate): Metered {
  if (!extras) return metered;
  const priced = Object.entries(extras.units ?? {}).filter(([kind]) => Object.hasOwn(units, kind));
  return { ...metered, extras: { ...extras, units: Object.fromEntries(priced) } };
}

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

export const UNREADABLE = relayError('upstream_error', 'The upstream sent an answer that cannot be read.');

/** Of an answer that came whole. */
const UNFED = {
  feed: () => {},
  last: () => undefined,
  end: () => {},
  complete: () => true,
  failed: () => false,
};
