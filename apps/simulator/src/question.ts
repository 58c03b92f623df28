import type { AskedExtras } from './extras.ts';

/** A request in any format, as far as the simulator reads it. */
export interface Question {
  readonly model: string;
  readonly stream: boolean;
  /** Chat only: the last chunk reports usage. */
  readonly includeUsage: boolean;
  /** Every text of the request, for the input count. */
  readonly texts: readonly string[];
  readonly lastUserText: string;
  /** The text of the tool result that the request ends with, if it does. */
  readonly toolResult: string | undefined;
  readonly tools: readonly Tool[];
  /** What it asks for beside tokens. */
  readonly asked: AskedExtras;
  readonly toolForced: boolean;
  readonly reasoning: boolean;
}

interface Tool {
  readonly name: string;
  readonly schema: unknown;
}

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const field = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The last entries in a row that a test holds for. */
export const trailing = (
  entries: readonly unknown[],
  test: (entry: unknown) => boolean,
): readonly unknown[] => entries.slice(entries.findLastIndex((entry) => !test(entry)) + 1);

/** Whether an entry of a conversation is said by the user, the model or a tool: agents put instructions after results. */
export const isSaid = (entry: unknown): boolean =>
  !/^(?:system|developer)$/.test(String(field(entry, 'role')));

/** All text below `content`: a string, or parts that hold `text`, or results that hold parts. */
export function findText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => {
      const text = field(part, 'text');
      return typeof text === 'string' ? text : findText(field(part, 'content') ?? field(part, 'output'));
    })
    .filter((text) => text !== '')
    .join(' ');
}
