import { createHash } from 'node:crypto';
import type { Extras } from './extras.ts';
import type { Question } from './question.ts';
import { reasoningState, type StateOwner } from './reasoning-state.ts';
import { type Script, withoutScript } from './script.ts';

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Tokens in the terms of WIRE formats' totals: `input` holds the cached and cache-write tokens. */
export interface SimulatedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly reasoning: number;
  readonly audioIn: number;
  readonly audioOut: number;
  readonly imageIn: number;
  readonly imageOut: number;
  /** Of what was read from the cache: sound and pictures. */
  readonly cachedAudio: number;
  readonly cachedImage: number;
}

export interface Answer {
  /** Derived from the request: the same request has the same id. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  /** The text in the pieces that a stream sends. */
  readonly pieces: readonly string[];
  readonly reasoning: string;
  /** What the vendor wants back beside the reasoning, or the call that came of it. */
  readonly reasoningState: string;
  readonly calls: readonly ToolCall[];
  /** What the vendor did beside tokens. */
  readonly extras: Extras;
  readonly finish: 'stop' | 'length' | 'refusal';
  /** Undefined when the script says that none is reported. */
  readonly usage: SimulatedUsage | undefined;
  /** The same, whether it is reported or not. */
  readonly spent: SimulatedUsage;
}

const REASONING = 'Let me think.';
const TOKENS_PER_CALL = 5;

/** Words between white space: the simulator's token. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** What the simulator says to a question: the same to the same, always. */
export function answerTo(question: Question, script: Script, extras: Extras, owner: StateOwner): Answer {
  const id = createHash('sha256')
    .update(JSON.stringify([question.model, question.texts]))
    .digest('hex')
    .slice(0, 24);
  const calls = callsFor(question, script, id);
  const text = script.text ?? (script.words === undefined ? textFor(question, calls) : words(script.words));
  const reasoning = question.reasoning ? REASONING : '';
  const scripted = script.usage ?? {};
  const counted = {
    input: question.texts.reduce((sum, each) => sum + countWords(each), 0),
    output: countWords(text) + countWords(reasoning) + calls.length * TOKENS_PER_CALL,
    reasoning: countWords(reasoning),
  };
  const spent = {
    input: scripted.input ?? counted.input,
    output: scripted.output ?? counted.output,
    cacheRead: scripted.cache_read ?? 0,
    cacheWrite: scripted.cache_write ?? 0,
    cacheWrite1h: scripted.cache_write_1h ?? 0,
    reasoning: scripted.reasoning ?? counted.reasoning,
    audioIn: scripted.audio_in ?? 0,
    audioOut: scripted.audio_out ?? 0,
    imageIn: scripted.image_in ?? 0,
    imageOut: scripted.image_out ?? 0,
    cachedAudio: scripted.cached_audio ?? 0,
    cachedImage: scripted.cached_image ?? 0,
  };
  return {
    id,
    model: question.model,
    text,
    pieces: text.match(/\S+\s*/g) ?? [],
    reasoning,
    reasoningState: reasoningState(id, owner),
    calls,
    extras,
    finish: script.finish ?? 'stop',
    usage: script.no_usage ? undefined : spent,
    spent,
  };
}

function textFor(question: Question, calls: readonly ToolCall[]): string {
  if (calls.length > 0) return '';
  if (question.toolResult !== undefined) return `The tool says: ${question.toolResult}`;
  if (/^recall\b/i.test(question.lastUserText)) return `I recall: ${question.texts.join(' | ')}`;
  return `Echo: ${withoutScript(question.lastUserText) || 'nothing'}`;
}

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ');

/** A tool is called when it is forced, or when the user says "use tool" (or "use tools", for all of them). */
function callsFor(question: Question, { call }: Script, id: string): ToolCall[] {
  if (question.tools.length === 0 || question.toolResult !== undefined) return [];
  if (call) {
    const isOffered = question.tools.some(({ name }) => name === call.name);
    return isOffered ? [{ id: `call_${id.slice(0, 20)}0`, ...call }] : [];
  }
  const phrase = /use tools?/i.exec(question.lastUserText)?.[0].toLowerCase();
  if (phrase === undefined && !question.toolForced) return [];
  const chosen = phrase === 'use tools' ? question.tools : question.tools.slice(0, 1);
  return chosen.map(({ name, schema }, index) => ({
    id: `call_${id.slice(0, 20)}${index}`,
    name,
    args: argumentsFor(schema),
  }));
}

function argumentsFor(schema: unknown): Record<string, unknown> {
  const properties =
    (schema as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {};
  const sample: Record<string, unknown> = {
    string: 'Paris',
    number: 1,
    integer: 1,
    boolean: true,
    array: [],
    object: {},
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, sample[String(type).toLowerCase()] ?? null]),
  );
}
