import { createMeter, type Meter } from '@tollgate/metering';
import {
  answerContext,
  type AnswerPlan,
  assembleAnswer,
  CODECS,
  convertAnswer,
  createResponseRewriter,
  createStreamConverter,
  isContextTooLong,
  PLAIN_NAMES,
  relayError,
  replayAnswer,
  UNREADABLE_ANSWER,
  upstreamErrorMessage,
} from '@tollgate/protocols';
import { announceJob } from '../background/job-status.ts';
import type { Answer } from '../forward/answer.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { hidingRewriter, textWithoutSecrets, withoutSecrets } from '../forward/secrets.ts';
import { findStatusPolicy } from '../forward/status-policy.ts';
import { streamType } from './early-stream.ts';
import { shapeTask, shapeTaskStream } from './shape-task.ts';
import { type RequestEstimate, rewrite, rewriterFor, type Shaped } from './shaped.ts';

/**
 * Converts an answer of another format. In the same format bytes stay as they are except for the model's name.
 *
 * What an upstream says about our credential is never shown to the caller.
 *
 * @param begun the caller's stream has already begun, with keep-alives.
 */
export function shapeAnswer(
  forwarded: Answer,
  request: OutgoingRequest,
  estimate: RequestEstimate,
  begun: boolean,
): Shaped {
  const shaped = shape(forwarded, request, estimate, begun);
  const { credential } = forwarded.candidate;
  switch (shaped.kind) {
    case 'stream':
      return { ...shaped, rewriter: hidingRewriter(shaped.rewriter, credential) };
    case 'whole':
      return { ...shaped, body: withoutSecrets(shaped.body, credential) };
    case 'refused':
      return {
        ...shaped,
        error: { ...shaped.error, message: textWithoutSecrets(shaped.error.message, credential) },
      };
  }
}

function shape(
  forwarded: Answer,
  request: OutgoingRequest,
  estimate: RequestEstimate,
  begun: boolean,
): Shaped {
  const { candidate, framing, plan } = forwarded;
  const { task } = candidate;
  if (task && forwarded.kind === 'answer' && framing === 'none' && forwarded.status < 300)
    return shapeTask({ ...forwarded, task }, request, estimate);
  if (task && forwarded.kind === 'stream') return shapeTaskStream({ ...forwarded, task }, request, estimate);
  const whole = forwarded.kind === 'answer' && framing === 'none' ? forwarded.json : undefined;
  const meter = createMeter(candidate.protocol, {
    stream: framing,
    task,
    requestEstimate: estimate.tokens,
    whole,
    states: plan ? undefined : request.reasoning?.collector,
    reportsCost: candidate.client.upstream.reports_cost,
  });
  if (forwarded.kind === 'stream') {
    if (!plan) {
      return {
        kind: 'stream',
        framing,
        contentType: undefined,
        meter,
        rewriter: rewriterFor(forwarded, request),
      };
    }
    const cut = framing === 'json-array' ? framing : 'sse';
    const contentType = streamType(request.framing);
    return {
      kind: 'stream',
      framing: request.framing,
      contentType,
      meter,
      rewriter: createStreamConverter(plan, cut),
    };
  }
  meter.feed(forwarded.body);
  if (forwarded.status >= 300) return shapeError(forwarded, meter, begun);
  // It came as a stream that nobody asked for.
  if (task && !request.stream) return { kind: 'refused', error: UNREADABLE_ANSWER };
  const matches = (framing === 'none') === !request.stream;
  if (!plan && matches) {
    const body = rewrite(rewriterFor(forwarded, request), forwarded.body);
    return { kind: 'whole', contentType: undefined, meter, body, dropped: [] };
  }
  const announced = !plan && request.background ? announceJob(forwarded.json) : undefined;
  if (announced) {
    const inStream = rewriterFor({ ...forwarded, framing: request.framing }, request);
    const contentType = streamType(request.framing);
    return { kind: 'whole', contentType, meter, body: rewrite(inStream, announced), dropped: [] };
  }
  const converted = convertWhole(plan ?? samePlan(request), forwarded, request);
  if (!converted.ok) return { kind: 'refused', error: converted.error };
  return {
    kind: 'whole',
    contentType: request.stream ? streamType(request.framing) : 'application/json',
    meter,
    body: wrapped(converted.body, forwarded, request),
    dropped: converted.dropped,
  };
}

/** What was put together from an answer of the same format names what the upstream keeps. */
function wrapped(body: Buffer, { wrap }: Answer, { protocol, stream, framing }: OutgoingRequest): Buffer {
  if (!wrap) return body;
  return rewrite(createResponseRewriter(protocol, { stream: stream ? framing : 'none', wrap }), body);
}

function convertWhole(
  plan: AnswerPlan,
  { framing, body }: Answer & { body: Buffer },
  request: OutgoingRequest,
) {
  if (framing !== 'none') return assembleAnswer(plan, framing, body);
  return request.stream ? replayAnswer(plan, body) : convertAnswer(plan, body);
}

/** An upstream's refusal of the caller's request: its own words, in the caller's envelope. */
function shapeError(
  { plan, status, candidate, body, request }: Answer & { body: Buffer },
  meter: Meter,
  begun: boolean,
): Shaped {
  const sent = request.stored ? Buffer.from(request.stored.retell(body.toString('utf8'))) : body;
  const words = sent.toString('utf8');
  const isTooLong = isContextTooLong(words);
  const isSigned = isTooLong && CODECS[request.protocol].saysContextTooLong(words);
  const asSaid = !isTooLong || (isSigned && !readsErrorsInStreams(request));
  const isOther = plan !== undefined || candidate.task?.format !== request.task?.format;
  if (!isOther && !begun && asSaid)
    return { kind: 'whole', contentType: undefined, meter, body: sent, dropped: [] };
  const message =
    upstreamErrorMessage(candidate.protocol, sent) ??
    `The upstream refused the request with status ${status}.`;
  const { callersFault, error } = findStatusPolicy(status);
  const kind = callersFault ? error.kind : 'invalid_request';
  return { kind: 'refused', error: relayError(isTooLong ? 'context_too_long' : kind, message) };
}

/** Whether what is said of a context that is too short must stand in the caller's stream. */
export const readsErrorsInStreams = ({
  protocol,
  stream,
  headers,
}: Pick<OutgoingRequest, 'protocol' | 'stream' | 'headers'>): boolean =>
  stream && CODECS[protocol].readsErrorsInStreams(headers);

/** For an upstream of the same protocol that streams when it should not, or does not when it should. */
const samePlan = (request: OutgoingRequest): AnswerPlan => ({
  from: request.protocol,
  to: request.protocol,
  names: PLAIN_NAMES,
  answer: answerContext({ ...request, keeping: undefined }),
});
