import { field, type Json, list } from '../question.ts';
import { type Refusal, type Rule } from './rule.ts';

export const API = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';

export const CACHING = 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html';

/** What the models of one vendor take in `additionalModelRequestFields`. */
export interface ConverseProfile {
  readonly fields: ReadonlySet<string>;
  readonly schemas: boolean;
  readonly efforts: boolean;
  /** Whether it takes marks for the cache: `but_tools` beside its tools none. */
  readonly caches: 'anywhere' | 'but_tools' | 'never';
}
export type ConverseRule = Rule<ConverseProfile>;

export const invalid = (message: string): Refusal => ({ status: 400, message });
export const malformed = (what: string): Refusal =>
  invalid(`Malformed input request: ${what}, please reformat your input and try again.`);

export const listMessages = (body: Json) => list(body['messages']);
export const listContent = (message: unknown) => list(field(message, 'content'));
export const toolUses = (message: unknown) =>
  listContent(message).flatMap((block) => field(block, 'toolUse') ?? []);
export const toolResults = (message: unknown) =>
  listContent(message).flatMap((block) => field(block, 'toolResult') ?? []);
export const id = (of: unknown) => String(field(of, 'toolUseId'));

interface Placed {
  readonly block: unknown;
  readonly at: string;
}

/** Every block of the conversation, and of the results in it. */
export const listBlocks = (body: Json): Placed[] =>
  listMessages(body).flatMap((message, index) =>
    listContent(message).flatMap((block, inner) => {
      const at = `messages.${index}.content.${inner}`;
      const within = list(field(field(block, 'toolResult'), 'content'));
      return [
        { block, at },
        ...within.map((each, last) => ({ block: each, at: `${at}.toolResult.content.${last}` })),
      ];
    }),
  );
