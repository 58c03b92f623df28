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
  /** Characters of the answer that are kept to its end at most, by whoever reads or writes it. */
  kept(): number;
}

/** What a block or a source takes beside its text. */
const BESIDE_TEXT = 1_024;
/** Of an event that says something, what says so is the greater part; the rest may be kept as well. */
const ENVELOPE_SHARE = 4;

/** Of an event that says nothing to a client, all may be kept for one that will. */
const weigh = (json: string, events: readonly AnswerEvent[]): number =>
  events.length === 0
    ? json.length
    : Math.max(
        json.length / ENVELOPE_SHARE,
        events.reduce((sum, event) => sum + measureKept(event), 0),
      );

const measureKept = (event: AnswerEvent): number =>
  event.type === 'delta' ? event.text.length : 'block' in event ? BESIDE_TEXT : 0;

/** Reads an upstream's stream into neutral events, blocks one after the other; nothing comes after an error. */
export function createEventReader(plan: AnswerPlan, framing: 'sse' | 'json-array'): EventReader {
  const decoder = CODECS[plan.to].conversion.streamDecoder(plan);
  const serialise = createSerialiser();
  const split = createEventSplitter(framing);
  const beginning: AnswerEvent = { type: 'start', id: plan.answer.fallbackId };
  let started = false;
  let over = false;
  let kept = 0;

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
    if (event !== undefined) {
      const events = decoder.read(event);
      kept += weigh(json, events);
      return pass(events);
    }
    return pass([{ type: 'error', error: UNREADABLE_ANSWER }]);
  }

  return {
    push: (chunk) => split.push(chunk).flatMap(read),
    end: () => [...split.flush().flatMap(read), ...(over ? [] : pass(decoder.end()))],
    held: split.held,
    kept: () => kept,
  };
}
