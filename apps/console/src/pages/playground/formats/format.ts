import type { FormatId } from './format-id.ts';

/** A file that a prompt shows, as it is sent. */
export interface Picture {
  readonly name: string;
  /** Such as "image/png". */
  readonly type: string;
  readonly base64: string;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of its arguments. */
  readonly parameters: object;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, which may be incomplete while it streams. */
  readonly args: string;
}

export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly output: string;
}

/** What a model has said so far, in whichever format. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** Why it ended, in the format's own word. */
  readonly finish: string | null;
  /** What went wrong in the midst of the stream. */
  readonly error: string | null;
  /** What the format sent, in the form in which it takes it back: it may hold state of its own. */
  readonly native: readonly Json[];
}

export type Json = Readonly<Record<string, unknown>>;

export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly pictures: readonly Picture[] }
  | { readonly role: 'assistant'; readonly answer: Answer; readonly format: FormatId }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export const EFFORTS = ['low', 'medium', 'high'] as const;

/** What a person sets for every request; null is the model's own. */
export interface Parameters {
  readonly system: string;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  /** Texts at which an answer ends. */
  readonly stop: readonly string[];
  readonly seed: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  /** How much a model reasons. */
  readonly effort: (typeof EFFORTS)[number] | null;
  /** Any JSON, or what a JSON Schema describes; null is text. */
  readonly output: 'json' | { readonly schema: Json } | null;
  readonly tools: readonly Tool[];
}

export type ParameterName = keyof Parameters;

export interface Ask extends Parameters {
  readonly model: string;
  readonly turns: readonly Turn[];
}

/** A schema must have a name in some formats. */
export const SCHEMA_NAME = 'answer';

/** One way of asking: a request's address and body, and how its stream is read. */
export interface Format {
  readonly id: FormatId;
  /** The path of a streamed request. */
  readonly path: (model: string) => string;
  /** The header that holds the key. */
  readonly auth: (key: string) => readonly [string, string];
  readonly body: (ask: Ask) => Json;
  /** The answer once one more event has come. */
  readonly read: (before: Answer, data: Json) => Answer;
}

export const NO_ANSWER: Answer = {
  text: '',
  reasoning: '',
  calls: [],
  tokens: null,
  finish: null,
  error: null,
  native: [],
};

/** The fields that were given; what is empty or null is left out. */
export const given = (fields: Json): Json =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );

export const orNull = (fields: Json): Json | null => (Object.keys(fields).length === 0 ? null : fields);

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const at = (value: unknown, key: string): unknown => (isJson(value) ? value[key] : undefined);
export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const list = at(value, key);
  return Array.isArray(list) ? (list as unknown[]) : [];
};
export const textAt = (value: unknown, key: string): string => {
  const text = at(value, key);
  return typeof text === 'string' ? text : '';
};
export const countAt = (value: unknown, key: string): number => {
  const count = at(value, key);
  return typeof count === 'number' ? count : 0;
};

/** The arguments of a call as an object; what is no JSON object is an empty one. */
export function parseArguments(call: ToolCall): Json {
  try {
    const args: unknown = JSON.parse(call.args === '' ? '{}' : call.args);
    return isJson(args) ? args : {};
  } catch {
    return {};
  }
}

export const dataUrl = ({ type, base64 }: Picture): string => `data:${type};base64,${base64}`;

/** What the assistant said before, in the format's own form where it comes from that format. */
export const findNative = (
  turn: Extract<Turn, { role: 'assistant' }>,
  id: FormatId,
): readonly Json[] | null =>
  turn.format === id && turn.answer.native.length > 0 ? turn.answer.native : null;
