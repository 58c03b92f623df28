import { type Progress, type RelayRequest, STARTED } from './progress.ts';
import type { Picture, ToolCall, ToolResult, Turn } from './formats/format.ts';
import type { FormatId } from './formats/format-id.ts';

export type Input =
  | { readonly kind: 'prompt'; readonly text: string; readonly pictures: readonly Picture[] }
  | { readonly kind: 'results'; readonly results: readonly ToolResult[] };

/** What was asked, how, and what came of it. */
export interface Exchange extends Progress {
  readonly id: number;
  readonly input: Input;
  readonly model: string;
  readonly format: FormatId;
  /** Null until it is known. */
  readonly request: RelayRequest | null;
}

export type Conversation = readonly Exchange[];

export const begun = (
  before: Conversation,
  exchange: Pick<Exchange, 'id' | 'input' | 'model' | 'format' | 'request'>,
): Conversation => [...before, { ...STARTED, ...exchange }];

export const changed = (before: Conversation, id: number, change: Partial<Exchange>): Conversation =>
  before.map((exchange) => (exchange.id === id ? { ...exchange, ...change } : exchange));

/** Calls that wait for a person to answer them. */
export function openCalls(conversation: Conversation): readonly ToolCall[] {
  const last = conversation.at(-1);
  return last?.status === 'done' ? last.answer.calls : [];
}

export const isRunning = (conversation: Conversation): boolean => conversation.at(-1)?.status === 'running';

/**
 * What the next request tells of the conversation. A request that failed leaves no trace; of an answer that was
 * stopped its text stays.
 */
export const listTurns = (conversation: Conversation, next: Input): readonly Turn[] => [
  ...conversation.flatMap((exchange) => {
    if (exchange.status === 'failed' || exchange.status === 'running') return [];
    if (exchange.status === 'done')
      return [
        toTurn(exchange.input),
        { role: 'assistant' as const, answer: exchange.answer, format: exchange.format },
      ];
    const answer = { ...exchange.answer, calls: [], native: [] };
    return answer.text === ''
      ? []
      : [toTurn(exchange.input), { role: 'assistant' as const, answer, format: exchange.format }];
  }),
  toTurn(next),
];

const toTurn = (input: Input): Turn =>
  input.kind === 'prompt'
    ? { role: 'user', text: input.text, pictures: input.pictures }
    : { role: 'tool', results: input.results };
