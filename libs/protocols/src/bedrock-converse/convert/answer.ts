import type { DecodeAnswerContext } from '../../convert/conversion.ts';
import { customText, inputText } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerPart, FinishReason, NeutralAnswer } from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { converseUsage } from '../usage.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop_sequence'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'context_window'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
]);

/** Why it ended, in the answer or in the event that says so. */
export function converseFinish(
  stop: unknown,
  calls: boolean,
): { readonly finish: FinishReason; readonly stopSequence?: string } {
  const reason = REASONS.get(textAt(stop, 'stopReason')) ?? 'stop';
  const sequence = someTextAt(objectAt(stop, 'additionalModelResponseFields'), 'stop_sequence');
  return {
    finish: reason === 'stop' && calls ? 'tool_calls' : reason,
    ...given({ stopSequence: reason === 'stop_sequence' ? sequence : undefined }),
  };
}

/** It has no id: the vendor says one in a header. */
export function decodeConverseAnswer(body: unknown, context: DecodeAnswerContext): NeutralAnswer {
  const usage = converseUsage.findInBody(body);
  const message = objectAt(objectAt(body, 'output'), 'message');
  const parts = listAt(message, 'content').flatMap((block) => partOf(block, context));
  const calls = parts.some(({ kind }) => kind === 'tool_call');
  const answered = message !== undefined && Array.isArray(message['content']);
  return {
    id: '',
    choices: answered ? [{ parts, ...converseFinish(body, calls) }] : [],
    tokens: usage && converseUsage.toTokens(usage),
  };
}

function partOf(block: unknown, { names }: DecodeAnswerContext): AnswerPart[] {
  if (!isObject(block)) return [];
  if (typeof block['text'] === 'string') return [{ kind: 'text', text: block['text'] }];
  const thought = objectAt(block, 'reasoningContent');
  if (thought) return [decodeThought(thought)];
  const cited = objectAt(block, 'citationsContent');
  if (cited) return [decodeCited(cited)];
  const image = objectAt(block, 'image');
  if (image) return decodeImage(image);
  const call = objectAt(block, 'toolUse');
  if (!call || someTextAt(call, 'type') !== undefined) return [];
  const named = names.fromUpstream(textAt(call, 'name'));
  const input = inputText(call['input']);
  return [
    {
      kind: 'tool_call',
      id: textAt(call, 'toolUseId'),
      ...named,
      input: named.custom ? customText(input) : input,
    },
  ];
}

function decodeThought(thought: JsonObject): AnswerPart {
  const redactedContent = someTextAt(thought, 'redactedContent');
  if (redactedContent !== undefined) return { kind: 'thinking', text: '', state: redacted(redactedContent) };
  const said = objectAt(thought, 'reasoningText');
  const signature = someTextAt(said, 'signature');
  const text = textAt(said, 'text');
  return { kind: 'thinking', text, ...(signature === undefined ? {} : { state: signed(signature) }) };
}

export const signed = (data: string): ReasoningState => ({
  format: 'bedrock-converse',
  kind: 'signed',
  data,
});
export const redacted = (data: string): ReasoningState => ({
  format: 'bedrock-converse',
  kind: 'redacted',
  data,
});

function decodeCited(block: JsonObject): AnswerPart {
  const text = listAt(block, 'content')
    .map((each) => textAt(each, 'text'))
    .join('');
  const cited = listAt(block, 'citations').flatMap(decodeConverseCitation);
  return { kind: 'text', text, ...(cited.length > 0 ? { cited } : {}) };
}

/** Of places in documents there is no address. */
export function decodeConverseCitation(citation: unknown): Citation[] {
  const url = textAt(objectAt(objectAt(citation, 'location'), 'web'), 'url');
  return url === '' ? [] : [{ url, ...given({ title: someTextAt(citation, 'title') }) }];
}

export function decodeImage(image: JsonObject): AnswerPart[] {
  const data = textAt(objectAt(image, 'source'), 'bytes');
  return data === '' ? [] : [{ kind: 'image', mediaType: `image/${textAt(image, 'format') || 'png'}`, data }];
}
