import {
  CACHED_TOKEN_KINDS,
  INPUT_TOKEN_KINDS,
  OUTPUT_TOKEN_KINDS,
  sumTokens,
  type TokenCounts,
} from '@tollgate/vocabulary';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { keptState } from '../../convert/reasoning-state.ts';
import { given, isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerPart, Choice, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { itemId, responseId } from '../kept/kept-ids.ts';
import { responsesUsage } from '../usage.ts';

export function decodeResponsesAnswer(body: unknown, context: DecodeAnswerContext): NeutralAnswer {
  const usage = responsesUsage.findInBody(body);
  const parts = listAt(body, 'output').flatMap((item) => partsOfItem(item, context));
  const answered = isObject(body) && Array.isArray(body['output']) && !FAILED.has(textAt(body, 'status'));
  const choices: Choice[] = answered ? [{ parts, finish: responsesFinish(body, parts) }] : [];
  return { id: textAt(body, 'id'), choices, tokens: usage && responsesUsage.toTokens(usage) };
}

const FAILED = new Set(['failed', 'cancelled']);

/** What a whole response's status means; calls and refusals are seen in what it holds. */
export function responsesFinish(
  response: unknown,
  parts: readonly { readonly kind: string }[],
): FinishReason {
  const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
  if (reason === 'content_filter') return 'content_filter';
  if (textAt(response, 'status') === 'incomplete') return 'length';
  if (parts.some(({ kind }) => kind === 'tool_call')) return 'tool_calls';
  return parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'stop';
}

export function partsOfItem(item: unknown, { names }: DecodeAnswerContext): AnswerPart[] {
  switch (textAt(item, 'type')) {
    case 'message':
      return listAt(item, 'content').map((part): AnswerPart => {
        if (textAt(part, 'type') === 'refusal') return { kind: 'refusal', text: textAt(part, 'refusal') };
        const cited = listAt(part, 'annotations').flatMap(decodeCitation);
        return { kind: 'text', text: textAt(part, 'text'), ...(cited.length > 0 ? { cited } : {}) };
      });
    case 'reasoning': {
      const state = findState(item);
      return [{ kind: 'thinking', text: reasoningText(item), ...(state ? { state } : {}) }];
    }
    case 'image_generation_call': {
      const data = someTextAt(item, 'result');
      const format = someTextAt(item, 'output_format') ?? 'png';
      return data === undefined ? [] : [{ kind: 'image', mediaType: `image/${format}`, data }];
    }
    case 'function_call':
    case 'custom_tool_call': {
      const custom = textAt(item, 'type') === 'custom_tool_call';
      return [
        {
          kind: 'tool_call',
          id: textAt(item, 'call_id'),
          ...names.fromUpstream(textAt(item, 'name')),
          ...given({ namespace: someTextAt(item, 'namespace') }),
          input: custom ? textAt(item, 'input') : textAt(item, 'arguments'),
          custom,
        },
      ];
    }
    default:
      return [];
  }
}

const reasoningText = (item: unknown): string =>
  [...listAt(item, 'summary'), ...listAt(item, 'content')].map((part) => textAt(part, 'text')).join('\n\n');

export function findState(item: unknown): ReasoningState | undefined {
  const data = someTextAt(item, 'encrypted_content');
  if (data === undefined) return undefined;
  return { format: 'openai-responses', kind: 'signed', data, ...given({ id: someTextAt(item, 'id') }) };
}

export function decodeCitation(annotation: unknown): Citation[] {
  const url = textAt(annotation, 'url');
  return url === '' ? [] : [{ url, ...given({ title: someTextAt(annotation, 'title') }) }];
}

export const encodeAnnotation = ({ url, title }: Citation): JsonObject => ({
  type: 'url_citation',
  url,
  title: title ?? url,
  start_index: 0,
  end_index: 0,
});

export function encodeResponsesAnswer(answer: NeutralAnswer, context: EncodeAnswerContext): JsonObject {
  const [choice] = answer.choices;
  const id = context.keeping?.id ?? responseId(answer.id);
  const output = (choice?.parts ?? []).map((part, index) => encodeItem(part, id, index, context));
  const response = createResponse(id, output, choice?.finish ?? 'stop', answer.tokens, context);
  context.keeping?.answered(output);
  return response;
}

/** A whole response around its items. */
export function createResponse(
  id: string,
  output: readonly JsonObject[],
  finish: FinishReason | 'in_progress',
  tokens: TokenCounts | undefined,
  context: EncodeAnswerContext,
): JsonObject {
  const reason = {
    length: 'max_output_tokens',
    context_window: 'max_output_tokens',
    content_filter: 'content_filter',
    pause: 'max_output_tokens',
  }[finish as string];
  return {
    id,
    object: 'response',
    created_at: context.created,
    status: finish === 'in_progress' ? 'in_progress' : reason ? 'incomplete' : 'completed',
    background: false,
    error: null,
    incomplete_details: reason ? { reason } : null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: context.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: context.keeping?.previous ?? null,
    store: context.keeping !== undefined,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: tokens ? encodeResponsesUsage(tokens) : null,
  };
}

/** One part as an item of the output. */
export function encodeItem(
  part: AnswerPart,
  response: string,
  index: number,
  { states }: EncodeAnswerContext,
): JsonObject {
  switch (part.kind) {
    case 'text':
    case 'refusal': {
      const content =
        part.kind === 'refusal'
          ? { type: 'refusal', refusal: part.text }
          : {
              type: 'output_text',
              text: part.text,
              annotations: (part.cited ?? []).map(encodeAnnotation),
              logprobs: [],
            };
      return {
        id: itemId('msg', response, index),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [content],
      };
    }
    case 'thinking': {
      const { state } = part;
      const whole = state && (part.text === '' ? state : { ...state, text: part.text });
      const own = state?.format === 'openai-responses' ? state.id : undefined;
      return {
        id: own ?? itemId('rs', response, index),
        type: 'reasoning',
        summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
        ...(whole ? { encrypted_content: keptState([whole], 'openai-responses', states) } : {}),
      };
    }
    case 'image':
      return { id: itemId('ig', response, index), ...imageItem('completed', part.data) };
    case 'tool_call': {
      const named = { call_id: part.id, name: part.name, ...given({ namespace: part.namespace }) };
      return part.custom
        ? {
            id: itemId('ctc', response, index),
            type: 'custom_tool_call',
            status: 'completed',
            ...named,
            input: part.input,
          }
        : {
            id: itemId('fc', response, index),
            type: 'function_call',
            status: 'completed',
            ...named,
            arguments: part.input || '{}',
          };
    }
  }
}

/** An image of an answer is what the image tool of this format leaves there; the client's own types know no other. */
export const imageItem = (status: 'in_progress' | 'completed', result: string | null): JsonObject => ({
  type: 'image_generation_call',
  status,
  result,
});

export function encodeResponsesUsage(tokens: TokenCounts): JsonObject {
  const input = sumTokens(tokens, INPUT_TOKEN_KINDS);
  const output = sumTokens(tokens, OUTPUT_TOKEN_KINDS);
  const written = (tokens.cache_write ?? 0) + (tokens.cache_write_1h ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: sumTokens(tokens, CACHED_TOKEN_KINDS),
      cache_write_tokens: written,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: tokens.output_reasoning ?? 0 },
    total_tokens: input + output,
  };
}
