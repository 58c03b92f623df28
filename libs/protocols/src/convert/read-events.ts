import { parseJson } from '../json.ts';
import type { AnswerEvent } from '../neutral/answer.ts';
import { createSerialiser } from '../neutral/serialise.ts';
import { UNREADABLE_ANSWER } from '../relay-error.ts';
import { createEventSplitter } from '../stream/event-splitter.ts';
import type { AnswerPlan } from './convert-request.ts';
import { CODECS } from '../registry.ts';

interface EventReader {
  /** The events that these bytes, cut anywhere, complete. */
  push(chunk: Buffer): AnswerEvent[];
  /** The upstream's stream ended. */
  end(): AnswerEvent[];
  /** Bytes of an event that is not whole yet. */
  held(): number;
}

/** Reads an upstream's stream into neutral events, blocks one after the other; nothing comes after an error. */
export function createEventReader(plan: AnswerPlan, framing: 'sse' | 'json-array'): EventReader {
  const decoder = CODECS[plan.to].conversion.streamDecoder(plan);
  const serialise = createSerialiser();
  const split = createEventSplitter(framing);
  const beginning: AnswerEvent = { type: 'start', id: plan.answer.fallbackId };
  let started = false;
  let over = false;

  function pass(events: readonly AnswerEvent[]): AnswerEvent[] {
    const passed: AnswerEvent[] = [];
    for (const event of events.flatMap(serialise)) {
      if (over) break;
      if (event.type === 'start' && started) continue;
      // Clients want a beginning, also of what an upstream sends without one.
      if (event.type !== 'start' && event.type !== 'error' && !started) passed.push(beginning);
      started ||= event.type !== 'error';
      over = event.type === 'error' || event.type === 'finish';
      passed.push(event.type === 'start' && event.id === '' ? beginning : event);
    }
    return passed;
  }

  function read(json: string): AnswerEvent[] {
    if (over) return [];
    if (json === '[DONE]') return pass(decoder.end());
    const event = parseJson(json);
    if (event !== undefined) return pass(decoder.read(event));
    return pass([{ type: 'error', error: UNREADABLE_ANSWER }]);
  }

  return {
    push: (chunk) => split.push(chunk).flatMap(read),
    end: () => [...split.flush().flatMap(read), ...(over ? [] : pass(decoder.end()))],
    held: split.held,
  };
}
