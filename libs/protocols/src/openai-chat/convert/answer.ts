import {
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
} from '@tollgate/vocabulary';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { keptState } from '../../convert/reasoning-state.ts';
import { customText } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerPart, Choice, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { findCalls, findPieces } from '../message.ts';
import { chatUsage } from '../usage.ts';

const FINISH: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    stop: 'stop' as const,
    length: 'length' as const,
    tool_calls: 'tool_calls' as const,
    function_call: 'tool_calls' as const,
    content_filter: 'content_filter' as const,
  }),
);

/** What the upstream's word means; a call that was made outranks a plain stop. */
export function chatFinish(word: string, seen: { calls: boolean; refusal: boolean }): FinishReason {
  const reason = FINISH.get(word) ?? 'stop';
  if (reason !== 'stop') return reason;
  return seen.calls ? 'tool_calls' : seen.refusal ? 'refusal' : 'stop';
}

const WORD: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context_window: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'stop',
  pause: 'stop',
};
export const chatFinishWord = (reason: FinishReason): string => WORD[reason];

export function decodeChatAnswer(body: unknown, context: DecodeAnswerContext): NeutralAnswer {
  const usage = chatUsage.findInBody(body);
  return {
    id: textAt(body, 'id'),
    choices: listAt(body, 'choices').map((choice) => choiceOf(choice, textAt(body, 'id'), context)),
    tokens: usage && chatUsage.toTokens(usage),
  };
}

function choiceOf(choice: unknown, id: string, { names }: DecodeAnswerContext): Choice {
  const message = objectAt(choice, 'message');
  const calls = findCalls(message);
  const pieces = findPieces(message);
  const joined = (kind: 'text' | 'refusal' | 'thinking') =>
    pieces.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('');
  const [reasoning, text, refusal] = [joined('thinking'), joined('text'), joined('refusal')];
  const state = calls.map(({ whole }) => findSignature(whole)).find((each) => each !== undefined);
  const cited = listAt(message, 'annotations').flatMap(decodeCitation);
  const parts: AnswerPart[] = [
    ...(reasoning || state
      ? [{ kind: 'thinking' as const, text: reasoning, ...(state ? { state } : {}) }]
      : []),
    ...(text ? [{ kind: 'text' as const, text, ...(cited.length > 0 ? { cited } : {}) }] : []),
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...pieces.filter((piece) => piece.kind === 'image'),
    ...calls.map((call, index): AnswerPart => {
      const named = names.fromUpstream(call.name);
      return {
        kind: 'tool_call',
        id: call.id || callIdFor(id, index),
        ...named,
        input: named.custom && !call.custom ? customText(call.input) : call.input,
        custom: named.custom || call.custom,
      };
    }),
  ];
  return {
    parts,
    finish: chatFinish(textAt(choice, 'finish_reason'), { calls: calls.length > 0, refusal: refusal !== '' }),
  };
}

/** Some servers give their calls no ids, and results are told by them: over all turns of a conversation. */
export const callIdFor = (answer: string, index: number): string =>
  `call_${answer.replace(/[^A-Za-z0-9]/g, '').slice(-24)}_${index}`;

/** A vendor's reasoning state that its Chat endpoint hangs on a tool call. */
export function findSignature(call: unknown): ReasoningState | undefined {
  const data = someTextAt(objectAt(objectAt(call, 'extra_content'), 'google'), 'thought_signature');
  return data === undefined ? undefined : { format: 'openai-chat', kind: 'signed', data };
}

export function decodeCitation(annotation: unknown): Citation[] {
  const cited = objectAt(annotation, 'url_citation');
  const url = textAt(cited, 'url');
  return url === '' ? [] : [{ url, ...given({ title: someTextAt(cited, 'title') }) }];
}

export const encodeAnnotation = ({ url, title }: Citation): JsonObject => ({
  type: 'url_citation',
  url_citation: { url, title: title ?? url, start_index: 0, end_index: 0 },
});

export function encodeChatAnswer(answer: NeutralAnswer, context: EncodeAnswerContext): JsonObject {
  return {
    id: chatId(answer.id),
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: answer.choices.map((choice, index) => ({
      index,
      message: messageOf(choice.parts, context),
      logprobs: null,
      finish_reason: chatFinishWord(choice.finish),
    })),
    ...(answer.tokens ? { usage: encodeChatUsage(answer.tokens) } : {}),
  };
}

export const chatId = (id: string): string => (id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`);

function messageOf(parts: readonly AnswerPart[], { states }: EncodeAnswerContext): JsonObject {
  const join = (kind: 'text' | 'refusal' | 'thinking') =>
    parts.flatMap((part) => (part.kind === kind ? [part.text] : [])).join('');
  const kept = parts.flatMap((part) =>
    part.kind === 'thinking' && part.state ? [withText(part.state, part.text)] : [],
  );
  const cited = parts.flatMap((part) => (part.kind === 'text' ? (part.cited ?? []) : []));
  const calls = parts.filter((part) => part.kind === 'tool_call');
  const images = parts.filter((part) => part.kind === 'image');
  const [text, refusal, reasoning] = [join('text'), join('refusal'), join('thinking')];
  return {
    role: 'assistant',
    content: text || null,
    refusal: refusal || null,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(images.length > 0 ? { images: images.map(encodeImage) } : {}),
    ...(cited.length > 0 ? { annotations: cited.map(encodeAnnotation) } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map((call, index) => ({
            id: call.id,
            ...(call.custom
              ? { type: 'custom', custom: { name: call.name, input: call.input } }
              : { type: 'function', function: { name: call.name, arguments: call.input || '{}' } }),
            ...(index === 0 && kept.length > 0 ? extraContent(keptState(kept, 'openai-chat', states)) : {}),
          })),
        }
      : {}),
  };
}

/** An image of an answer, as OpenRouter introduced it: OpenAI's own answers hold none. */
export const encodeImage = ({ mediaType, data }: { mediaType: string; data: string }): JsonObject => ({
  type: 'image_url',
  image_url: { url: `data:${mediaType};base64,${data}` },
});

/** The place where Chat clients keep a reasoning state, as one vendor's endpoint introduced it. */
export const extraContent = (signature: string): JsonObject => ({
  extra_content: { google: { thought_signature: signature } },
});

/** A Chat client may not send the reasoning's text back: it travels with its signature. */
export const withText = (state: ReasoningState, text: string): ReasoningState =>
  text === '' ? state : { ...state, text };

export function encodeChatUsage(tokens: TokenCounts): JsonObject {
  const prompt = sumTokens(tokens, INPUT_TOKEN_KINDS);
  const completion = sumTokens(tokens, OUTPUT_TOKEN_KINDS);
  const written = (tokens.cache_write ?? 0) + (tokens.cache_write_1h ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: sumTokens(tokens, CACHED_TOKEN_KINDS),
      audio_tokens: tokens.input_audio ?? 0,
      ...(tokens.input_image ? { image_tokens: tokens.input_image } : {}),
      ...(written ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: tokens.output_reasoning ?? 0,
      audio_tokens: tokens.output_audio ?? 0,
    },
  };
}

export const openaiErrorMessage = (body: unknown): string | undefined => {
  const error = objectAt(body, 'error');
  return (
    someTextAt(error, 'message') ??
    (isObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined)
  );
};
