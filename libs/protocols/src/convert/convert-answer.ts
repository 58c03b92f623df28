import type { Protocol } from '@tollgate/vocabulary';
import { failureError } from '../failure.ts';
import { parseJson } from '../json.ts';
import { assemble, replay } from '../neutral/assemble.ts';
import type { AnswerEvent, NeutralAnswer } from '../neutral/answer.ts';
import { type RelayError, UNREADABLE_ANSWER } from '../relay-error.ts';
import type { AnswerPlan } from './convert-request.ts';
import { CODECS } from '../registry.ts';
import { createEventReader } from './read-events.ts';

export type ConvertedAnswer =
  /** `dropped`: what of the answer the client's format cannot say. */
  | { readonly ok: true; readonly body: Buffer; readonly dropped: readonly string[] }
  | { readonly ok: false; readonly error: RelayError };

/** A whole answer of the upstream as a whole answer for the client. */
export function convertAnswer(plan: AnswerPlan, body: Buffer): ConvertedAnswer {
  const read = readWhole(plan, body);
  return read.ok ? wholeAnswer(plan, read.answer) : read;
}

type Read =
  | { readonly ok: true; readonly answer: NeutralAnswer }
  | { readonly ok: false; readonly error: RelayError };

/** A whole answer; one that only says what went wrong is that. */
function readWhole(plan: AnswerPlan, body: Buffer): Read {
  const json = parseJson(body.toString('utf8'));
  const failure = CODECS[plan.to].findFailure(json);
  if (failure) return { ok: false, error: failureError(failure) };
  const answer = CODECS[plan.to].conversion.decodeAnswer(json, plan);
  if (answer.choices.length === 0) return { ok: false, error: UNREADABLE_ANSWER };
  return { ok: true, answer: answer.id === '' ? { ...answer, id: plan.answer.fallbackId } : answer };
}

/** A stream of the upstream, come to its end, as a whole answer for a client that wanted no stream. */
export function assembleAnswer(
  plan: AnswerPlan,
  framing: 'sse' | 'json-array',
  body: Buffer,
): ConvertedAnswer {
  const reader = createEventReader(plan, framing);
  const answer = assemble([...reader.push(body), ...reader.end()]);
  return 'kind' in answer ? { ok: false, error: answer } : wholeAnswer(plan, answer);
}

/** A whole answer of the upstream as the stream that the client wanted. */
export function replayAnswer(plan: AnswerPlan, body: Buffer): ConvertedAnswer {
  const read = readWhole(plan, body);
  if (!read.ok) return read;
  const encoder = CODECS[plan.from].conversion.streamEncoder(plan.answer);
  const text =
    [...replay(read.answer)].map((event: AnswerEvent) => encoder.write(event)).join('') + encoder.end();
  return { ok: true, body: Buffer.from(text), dropped: [] };
}

function wholeAnswer(plan: AnswerPlan, answer: NeutralAnswer): ConvertedAnswer {
  const images = answer.choices.some(({ parts }) => parts.some(({ kind }) => kind === 'image'));
  const { encodeAnswer, carriesImages } = CODECS[plan.from].conversion;
  return {
    ok: true,
    body: Buffer.from(JSON.stringify(encodeAnswer(answer, plan.answer))),
    dropped: images && !carriesImages ? ['answer.image'] : [],
  };
}

/** The words of an upstream's error body, whatever its format. */
export function upstreamErrorMessage(protocol: Protocol, body: Buffer): string | undefined {
  return CODECS[protocol].conversion.errorMessage(parseJson(body.toString('utf8')));
}
