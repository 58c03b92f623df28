import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { countAt, isObject, listAt, nonZero, objectAt, textAt } from '../json.ts';
import { atLeastOne, messagesField, modelField, streamField, textsIn } from '../schema.ts';
import { chatCosts } from './costs.ts';
import { chatStored } from './stored.ts';
import { openaiTokens } from './usage.ts';

const requestSchema = z.looseObject({
  model: modelField,
  messages: messagesField,
  stream: streamField,
  max_tokens: atLeastOne.nullish(),
  max_completion_tokens: atLeastOne.nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean({ error: 'must be true or false' }).nullish() })
    .nullish(),
});

/** OpenAI Chat Completions. */
export const openaiChat: Codec = {
  requestSchema: () => requestSchema,
  costs: chatCosts,
  stored: chatStored,
  readRequest(body) {
    const { model, stream, stream_options } = body as z.infer<typeof requestSchema>;
    return { model, stream: stream ?? false, includeUsage: stream_options?.include_usage ?? false };
  },
  // Servers that speak Chat read more names than OpenAI's own, and some think beyond the limit.
  outputFields: [
    { path: ['max_completion_tokens'], role: 'limit' },
    { path: ['max_tokens'], role: 'limit' },
    { path: ['max_output_tokens'], role: 'raises' },
    { path: ['max_new_tokens'], role: 'raises' },
    { path: ['max_length'], role: 'raises' },
    { path: ['min_tokens'], role: 'raises' },
    { path: ['num_predict'], role: 'raises' },
    { path: ['options', 'num_predict'], role: 'raises' },
    { path: ['reasoning', 'max_tokens'], role: 'raises' },
    { path: ['thinking', 'budget_tokens'], role: 'raises' },
    { path: ['extra_body', 'google', 'thinking_config', 'thinking_budget'], role: 'raises' },
    { path: ['thinking_budget'], role: 'beside' },
    { path: ['prediction', 'content'], role: 'text' },
    { path: ['n'], role: 'answers' },
    { path: ['best_of'], role: 'answers' },
    { path: ['num_return_sequences'], role: 'answers' },
  ],
  modelInBody: true,
  upstreamPath: () => '/v1/chat/completions',
  authHeaders: (credential) => ({ authorization: `Bearer ${credential}` }),
  defaultHeaders: {},
  modelPaths: [['model']],
  usageOfBody: (body) => objectAt(body, 'usage'),
  usageOfEvent(event) {
    const usage = objectAt(event, 'usage');
    return usage && { usage, final: true, cumulative: true };
  },
  isFinal: (event) =>
    listAt(event, 'choices').some((choice) => textAt(choice, 'finish_reason') !== '') ||
    objectAt(event, 'error') !== undefined,
  tokensOf: (usage) => {
    const hit = countAt(usage, 'prompt_cache_hit_tokens');
    const details = objectAt(usage, 'prompt_tokens_details');
    return nonZero(
      openaiTokens({
        input: countAt(usage, 'prompt_tokens'),
        output: countAt(usage, 'completion_tokens'),
        cacheRead: countAt(details, 'cached_tokens') || hit,
        cacheWrite: countAt(details, 'cache_write_tokens'),
        cacheWriteLong: 0,
        audioIn: countAt(details, 'audio_tokens'),
        imageIn: countAt(details, 'image_tokens'),
        reasoning: countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens'),
        audioOut: countAt(objectAt(usage, 'completion_tokens_details'), 'audio_tokens'),
        imageOut: countAt(objectAt(usage, 'completion_tokens_details'), 'image_tokens'),
      }),
    );
  },
  emittedText(event) {
    let text = '';
    for (const choice of listAt(event, 'choices'))
      text += textOfMessage(objectAt(choice, 'delta') ?? objectAt(choice, 'message'));
    return text;
  },
  requestText: (body) => textsIn(body['messages'], body['tools']),
  countTokensBody: () => undefined,
};

function textOfMessage(message: unknown): string {
  let calls = '';
  for (const call of listAt(message, 'tool_calls')) {
    const named = objectAt(call, 'function') ?? objectAt(call, 'custom');
    calls += textAt(named, 'name') + textAt(named, 'arguments') + textAt(named, 'input');
  }
  return (
    textAt(message, 'content') +
    (textAt(message, 'reasoning_content') || textAt(message, 'reasoning')) +
    textAt(message, 'refusal') +
    (isObject(message) && isObject(message['function_call'])
      ? textAt(message['function_call'], 'arguments')
      : '') +
    calls
  );
}
