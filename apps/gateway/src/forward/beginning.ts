import { Readable } from 'node:stream';
import {
  type AnswerRules,
  createEventSplitter,
  type EventSplitter,
  type Failure,
  isObject,
  parseJson,
} from '@tollgate/protocols';
import { waitForBytes } from './body.ts';

/** An answer that has only announced itself is held back for so long, as another upstream may still be asked for it. */
const MAX_HELD_MS = 500;
/** What is longer than this is no announcement. */
const MAX_HELD_BYTES = 64 * 1024;

type Beginning =
  /** The answer has begun. All of its bytes are in `body`. */
  | {
      readonly kind: 'begun';
      readonly body: Readable;
      readonly firstByteAt: number;
      /** The event that announces a job. */
      readonly announced?: unknown;
    }
  /** In place of an answer it says what went wrong. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** It ended before anything was answered. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'late' };

/**
 * Reads a stream up to its first event with content. An upstream that fails after its status line says so in its first
 * events; as long as none of them has been passed on, another upstream can still answer. A job is at work from its first event on,
 * whatever it says, and nobody else is asked for it any more.
 *
 * @throws when the stream breaks off.
 */
export async function readBeginning(
  body: Readable,
  {
    rules,
    framing,
    isJob = false,
  }: { readonly rules: AnswerRules; readonly framing: 'sse' | 'json-array'; readonly isJob?: boolean },
  firstByteMs: number,
): Promise<Beginning> {
  const first = await waitForBytes(body, firstByteMs);
  if (first !== 'ready') return { kind: first === 'late' ? 'late' : 'empty' };
  const firstByteAt = performance.now();
  // What is at work without its name could be found by nobody.
  const maxHeldMs = isJob ? Math.max(MAX_HELD_MS, firstByteMs) : MAX_HELD_MS;
  const splitter = createEventSplitter(framing);
  const chunks: Buffer[] = [];
  let length = 0;
  let state: 'ready' | 'late' | 'ended' = 'ready';
  while (state === 'ready' && length <= MAX_HELD_BYTES) {
    const chunk = body.read() as Buffer | null;
    if (chunk) {
      chunks.push(chunk);
      length += chunk.length;
    }
    const events = chunk ? splitter.push(chunk) : [];
    const said = whatIsSaid(rules, events);
    if (said !== undefined && said !== 'answer') return { kind: 'failed', failure: said };
    const announced = isJob ? events.map(parseJson).find(isObject) : undefined;
    if (said === 'answer' || announced) return { ...begun(body, chunks, firstByteAt), announced };
    state = await waitForBytes(body, Math.max(0, firstByteAt + maxHeldMs - performance.now()));
  }
  if (state !== 'ended') return begun(body, chunks, firstByteAt);
  // Some say an error as one JSON value, whatever they promised.
  const whole = Buffer.concat(chunks).toString('utf8');
  const rest = parseJson(whole) === undefined ? splitter.flush() : [whole];
  return atItsEnd(whatIsSaid(rules, rest), body, chunks, firstByteAt);
}

/** Of the events of a beginning: a failure, that something is answered, or undefined where that is still to come. */
function whatIsSaid(rules: AnswerRules, events: readonly string[]): Failure | 'answer' | undefined {
  for (const json of events) {
    if (json === '[DONE]') continue;
    const event = parseJson(json);
    const failure = rules.findFailure(event);
    if (failure) return failure;
    if (event === undefined || !rules.isPreamble(event)) return 'answer';
  }
  return undefined;
}

function atItsEnd(
  said: Failure | 'answer' | undefined,
  body: Readable,
  chunks: readonly Buffer[],
  firstByteAt: number,
): Beginning {
  if (said === undefined) return { kind: 'empty' };
  return said === 'answer' ? begun(body, chunks, firstByteAt) : { kind: 'failed', failure: said };
}

/** Puts back what was read; nothing can be put back into a stream that has told its end. */
function begun(
  body: Readable,
  chunks: readonly Buffer[],
  firstByteAt: number,
): Extract<Beginning, { kind: 'begun' }> {
  if (body.readableEnded) {
    return { kind: 'begun', body: Readable.from(chunks, { objectMode: false }), firstByteAt };
  }
  body.unshift(Buffer.concat(chunks));
  return { kind: 'begun', body, firstByteAt };
}

/** What an upstream says in an answer that came whole as a stream; a failure anywhere in it is one of all of it. */
export function failureInEvents(
  rules: AnswerRules,
  framing: 'sse' | 'json-array',
  whole: Buffer,
): Failure | undefined {
  const splitter: EventSplitter = createEventSplitter(framing);
  for (const json of [...splitter.push(whole), ...splitter.flush()]) {
    const failure = json === '[DONE]' ? undefined : rules.findFailure(parseJson(json));
    if (failure) return failure;
  }
  return undefined;
}

const FIELD = /^\ufeff?[\r\n]*(?:data|event|id|retry)?:/;
const LONGEST_FIELD = 64;

/** Whether bytes begin as an event stream does, whatever their content type says. */
export const looksLikeEvents = (bytes: Buffer): boolean =>
  FIELD.test(bytes.subarray(0, LONGEST_FIELD).toString('utf8'));

/** How a stream is cut whose content type does not say it, by its first bytes. */
export async function detectFraming(body: Readable, patienceMs: number): Promise<'sse' | 'none'> {
  if ((await waitForBytes(body, patienceMs)) !== 'ready') return 'sse';
  const first = body.read() as Buffer;
  body.unshift(first);
  return looksLikeEvents(first) ? 'sse' : 'none';
}
