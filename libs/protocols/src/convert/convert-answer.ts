import { parseJson } from '../json.ts';
import { assemble, replay } from '../neutral/assemble.ts';
import type { AnswerEvent, NeutralAnswer } from '../neutral/answer.ts';
import { relayError, type RelayError } from '../relay-error.ts';
import type { Protocol } from '../protocol.ts';
import type { AnswerPlan } from './convert-request.ts';
import { CONVERSIONS } from './registry.ts';
import { createEventReader } from './read-events.ts';

export type ConvertedAnswer =
  { readonly ok: true; readonly body: Buffer } | { readonly ok: false; readonly error: RelayError };

/** A whole answer of the upstream as a whole answer for the client. */
export function convertAnswer(plan: AnswerPlan, body: Buffer): ConvertedAnswer {
  const answer = CONVERSIONS[plan.to].decodeAnswer(parseJson(body.toString('utf8')), plan);
  return wholeAnswer(plan, answer);
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
  const answer = CONVERSIONS[plan.to].decodeAnswer(parseJson(body.toString('utf8')), plan);
  if (answer.choices.length === 0) return unreadable();
  const encoder = CONVERSIONS[plan.from].streamEncoder(plan.answer);
  const text = [...replay(answer)].map((event: AnswerEvent) => encoder.write(event)).join('') + encoder.end();
  return { ok: true, body: Buffer.from(text) };
}

function wholeAnswer(plan: AnswerPlan, answer: NeutralAnswer): ConvertedAnswer {
  if (answer.choices.length === 0) return unreadable();
  return {
    ok: true,
    body: Buffer.from(JSON.stringify(CONVERSIONS[plan.from].encodeAnswer(answer, plan.answer))),
  };
}

const unreadable = (): ConvertedAnswer => ({
  ok: false,
  error: relayError('upstream_error', 'The upstream sent an answer that cannot be read.'),
});

/** The words of an upstream's error body, whatever its format. */
export function upstreamErrorMessage(protocol: Protocol, body: Buffer): string | undefined {
  return CONVERSIONS[protocol].errorMessage(parseJson(body.toString('utf8')));
}
