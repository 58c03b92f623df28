import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { failureIn } from '../failure.ts';
import { countAt, type JsonObject, listAt, nonZero, objectAt, textAt } from '../json.ts';
import { atLeastOne, messagesField, modelField, streamField, textsIn } from '../schema.ts';
import { chatCosts } from './costs.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { chatStates } from '../reasoning/chat-states.ts';
import { KEEP_ALIVE_COMMENT } from '../stream/keep-alive.ts';
import { chatStored } from './stored.ts';
import { openaiErrorBody, saysContextTooLong } from './errors.ts';
import { callsOf, piecesOf } from './message.ts';
import { openaiModelList } from './model-list.ts';
import { openaiTokens } from './usage.ts';
import { chatUsageOnRequest } from './usage-on-request.ts';

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
  states: chatStates,
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
  parsePath: undefined,
  clientFraming: () => 'sse',
  usageOnRequest: chatUsageOnRequest,
  saysContextTooLong,
  readsErrorsInStreams: () => false,
  isOwnClient: () => false,
  modelList: openaiModelList,
  writeRateLimit: writeOpenaiRateLimit,
  errorBody: openaiErrorBody,
  streamError: (error) => `data: ${JSON.stringify(openaiErrorBody(error))}\n\n`,
  keepAlive: KEEP_ALIVE_COMMENT,
  namedEventsNeedData: true,
  telemetry: { provider: 'openai', operation: 'chat' },
  namesAnswers: false,
  upstreamPath: () => '/v1/chat/completions',
  authHeaders: (credential) => ({ authorization: `Bearer ${credential}` }),
  defaultHeaders: {},
  modelPaths: [['model']],
  usageOfBody: usageIn,
  usageOfEvent(event) {
    const usage = usageIn(event);
    return usage && { usage, final: true, cumulative: true };
  },
  // OpenRouter hangs the error of the provider behind it on the choice.
  failureOf: (event) =>
    failureIn(event) ??
    listAt(event, 'choices')
      .map(failureIn)
      .find((each) => each !== undefined),
  isPreamble: (event) =>
    failureIn(event) === undefined &&
    usageIn(event) === undefined &&
    listAt(event, 'choices').every(isEmptyChoice),
  isFinal: (event) =>
    listAt(event, 'choices').some(
      (choice) => textAt(choice, 'finish_reason') !== '' && failureIn(choice) === undefined,
    ),
  tokensOf: (usage) => {
    const hit = countAt(usage, 'prompt_cache_hit_tokens');
    const details = objectAt(usage, 'prompt_tokens_details');
    return nonZero(
      openaiTokens({
        input: countAt(usage, 'prompt_tokens'),
        output: completionOf(usage),
        // DeepSeek and Moonshot have words of their own for it.
        cacheRead: countAt(details, 'cached_tokens') || hit || countAt(usage, 'cached_tokens'),
        cacheWrite: countAt(details, 'cache_write_tokens'),
        cacheWriteLong: 0,
        audioIn: countAt(details, 'audio_tokens'),
        imageIn: countAt(details, 'image_tokens'),
        reasoning: reasoningOf(usage),
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

/** Groq puts the usage of a stream into a member of its own, Moonshot into the choice. */
function usageIn(event: unknown): JsonObject | undefined {
  return (
    objectAt(event, 'usage') ??
    objectAt(objectAt(event, 'x_groq'), 'usage') ??
    listAt(event, 'choices')
      .map((choice) => objectAt(choice, 'usage'))
      .find((usage) => usage !== undefined)
  );
}

const reasoningOf = (usage: JsonObject): number =>
  countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens');

/** xAI counts reasoning beside the completion: that is seen where the total adds up only with it. */
function completionOf(usage: JsonObject): number {
  const completion = countAt(usage, 'completion_tokens');
  const both = completion + reasoningOf(usage);
  return countAt(usage, 'total_tokens') >= countAt(usage, 'prompt_tokens') + both ? both : completion;
}

/** A choice of which only the role is told. */
function isEmptyChoice(choice: unknown): boolean {
  if (textAt(choice, 'finish_reason') !== '' || failureIn(choice)) return false;
  const delta = objectAt(choice, 'delta') ?? {};
  return Object.entries(delta).every(
    ([key, value]) =>
      key === 'role' || value === null || value === '' || (Array.isArray(value) && value.length === 0),
  );
}

function textOfMessage(message: unknown): string {
  let text = '';
  for (const piece of piecesOf(message)) if (piece.kind !== 'image') text += piece.text;
  for (const { name, input } of callsOf(message)) text += name + input;
  return text;
}
