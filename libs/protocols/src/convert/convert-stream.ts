import { CODECS } from '../registry.ts';
import type { AnswerEvent } from '../neutral/answer.ts';
import { type RelayError } from '../relay-error.ts';
import type { ResponseRewriter } from '../rewriter.ts';
import type { AnswerPlan } from './convert-request.ts';
import { createEventReader } from './read-events.ts';

/** A stream of the upstream as the client's stream, event by event, as the bytes come. */
export function createStreamConverter(plan: AnswerPlan, framing: 'sse' | 'json-array'): ResponseRewriter {
  const reader = createEventReader(plan, framing);
  const encoder = CODECS[plan.from].conversion.streamEncoder(plan.answer);
  let failed = false;

  const write = (events: readonly AnswerEvent[]): Buffer | undefined => {
    const text = events
      .map((event) => {
        failed ||= event.type === 'error';
        return encoder.write(event);
      })
      .join('');
    return text === '' ? undefined : Buffer.from(text);
  };

  return {
    push: (chunk) => write(reader.push(chunk)),
    end() {
      const rest = write(reader.end());
      const ending = failed ? '' : encoder.end();
      return ending === '' ? rest : Buffer.concat([rest ?? Buffer.alloc(0), Buffer.from(ending)]);
    },
    fail: (error: RelayError) => (failed ? undefined : write([{ type: 'error', error }])),
    failed: () => failed,
    held: reader.held,
    kept: reader.kept,
  };
}
