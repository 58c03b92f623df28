import { CACHED_TOKEN_KINDS, OUTPUT_TOKEN_KINDS, sumTokens, type TokenCounts } from '@tollgate/vocabulary';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { keptState } from '../../convert/reasoning-state.ts';
import { customText, inputObject, inputText } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerPart, Choice, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { messagesUsage } from '../usage.ts';

const REASON: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    end_turn: 'stop' as const,
    stop_sequence: 'stop_sequence' as const,
    max_tokens: 'length' as const,
    model_context_window_exceeded: 'context_window' as const,
    tool_use: 'tool_calls' as const,
    refusal: 'content_filter' as const,
    pause_turn: 'pause' as const,
  }),
);
export const messagesFinish = (word: string, calls: boolean): FinishReason => {
  const reason = REASON.get(word) ?? 'stop';
  return reason === 'stop' && calls ? 'tool_calls' : reason;
};

const WORD: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  context_window: 'model_context_window_exceeded',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
};
export const messagesFinishWord = (reason: FinishReason): string => WORD[reason];

export function decodeMessagesAnswer(body: unknown, context: DecodeAnswerContext): NeutralAnswer {
  const usage = messagesUsage.findInBody(body);
  const parts = listAt(body, 'content').flatMap((block) => partOf(block, context));
  const answered = isObject(body) && Array.isArray(body['content']);
  const calls = parts.some(({ kind }) => kind === 'tool_call');
  const choice: Choice = {
    parts,
    finish: messagesFinish(textAt(body, 'stop_reason'), calls),
    ...given({ stopSequence: someTextAt(body, 'stop_sequence') }),
  };
  return {
    id: textAt(body, 'id'),
    choices: answered ? [choice] : [],
    tokens: usage && messagesUsage.toTokens(usage),
  };
}

function partOf(block: unknown, { names }: DecodeAnswerContext): AnswerPart[] {
  switch (textAt(block, 'type')) {
    case 'text': {
      const cited = listAt(block, 'citations').flatMap(decodeCitation);
      return [{ kind: 'text', text: textAt(block, 'text'), ...(cited.length > 0 ? { cited } : {}) }];
    }
    case 'thinking':
      return [
        { kind: 'thinking', text: textAt(block, 'thinking'), state: signed(textAt(block, 'signature')) },
      ];
    case 'redacted_thinking':
      return [{ kind: 'thinking', text: '', state: redacted(textAt(block, 'data')) }];
    case 'tool_use': {
      const named = names.fromUpstream(textAt(block, 'name'));
      const input = inputText(isObject(block) ? block['input'] : undefined);
      return [
        {
          kind: 'tool_call',
          id: textAt(block, 'id'),
          ...named,
          input: named.custom ? customText(input) : input,
        },
      ];
    }
    default:
      return [];
  }
}

export const signed = (data: string): ReasoningState => ({
  format: 'anthropic-messages',
  kind: 'signed',
  data,
});
export const redacted = (data: string): ReasoningState => ({
  format: 'anthropic-messages',
  kind: 'redacted',
  data,
});

export function decodeCitation(citation: unknown): Citation[] {
  const url = textAt(citation, 'url');
  return url === '' ? [] : [{ url, ...given({ title: someTextAt(citation, 'title') }) }];
}

export const citationBlock = ({ url, title }: Citation): JsonObject => ({
  type: 'web_search_result_location',
  url,
  title: title ?? null,
  cited_text: '',
  encrypted_index: '',
});

const messageId = (id: string): string =>
  id.startsWith('msg_') ? id : `msg_${id.replace(/[^A-Za-z0-9]/g, '')}`;

export function encodeMessagesAnswer(answer: NeutralAnswer, context: EncodeAnswerContext): JsonObject {
  const [choice] = answer.choices;
  return createMessage(
    answer.id,
    (choice?.parts ?? []).map((part) => blockOf(part, context)),
    encodeMessagesUsage(answer.tokens ?? {}),
    choice,
    context,
  );
}

export function createMessage(
  id: string,
  content: readonly JsonObject[],
  usage: JsonObject,
  choice: Choice | undefined,
  { model }: EncodeAnswerContext,
): JsonObject {
  return {
    id: messageId(id),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: choice ? messagesFinishWord(choice.finish) : null,
    stop_sequence: choice?.stopSequence ?? null,
    usage,
  };
}

function blockOf(part: AnswerPart, { states }: EncodeAnswerContext): JsonObject {
  switch (part.kind) {
    case 'text':
      return {
        type: 'text',
        text: part.text,
        // The vendor leaves the member out: schemas of clients take a list here, and no null.
        ...(part.cited?.length ? { citations: part.cited.map(citationBlock) } : {}),
      };
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'text', text: imageNote(part.mediaType) };
    case 'thinking':
      if (isRedacted(part.state)) return redactedBlock(part.state);
      return { type: 'thinking', thinking: part.text, signature: signatureFor(part.state, states) };
    case 'tool_call':
      return {
        type: 'tool_use',
        id: part.id,
        name: part.name,
        input: part.custom ? { input: part.input } : inputObject(part.input),
      };
  }
}

/** Answers of this format hold no images: whoever asked is told that there was one. */
export const imageNote = (mediaType: string): string =>
  `[The model answered with an image (${mediaType}), which the Messages format cannot carry.]`;

/** Clients of this format send a thinking block back only with a signature: reasoning without a state gets one too. */
export const signatureFor = (
  state: ReasoningState | undefined,
  states: EncodeAnswerContext['states'],
): string => keptState(state ? [state] : [], 'anthropic-messages', states);

export const isRedacted = (state: ReasoningState | undefined): state is ReasoningState =>
  state?.format === 'anthropic-messages' && state.kind === 'redacted';

export const redactedBlock = ({ data }: ReasoningState): JsonObject => ({ type: 'redacted_thinking', data });

export function encodeMessagesUsage(tokens: TokenCounts): JsonObject {
  const short = tokens.cache_write ?? 0;
  const long = tokens.cache_write_1h ?? 0;
  const thinking = tokens.output_reasoning ?? 0;
  return {
    input_tokens: (tokens.input ?? 0) + (tokens.input_audio ?? 0) + (tokens.input_image ?? 0),
    cache_creation_input_tokens: short + long,
    cache_read_input_tokens: sumTokens(tokens, CACHED_TOKEN_KINDS),
    ...(short + long > 0
      ? { cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } }
      : {}),
    output_tokens: sumTokens(tokens, OUTPUT_TOKEN_KINDS),
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  };
}

export const messagesErrorMessage = (body: unknown): string | undefined =>
  someTextAt(objectAt(body, 'error'), 'message');
