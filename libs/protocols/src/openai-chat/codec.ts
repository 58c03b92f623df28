import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { findFailure } from '../failure.ts';
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import {
  atLeastOne,
  isAbsentOr,
  isPlain,
  messagesField,
  modelField,
  streamField,
  textsIn,
} from '../schema.ts';
import { openaiCallerHeaders } from './caller-headers.ts';
import { chatConversion } from './convert/conversion.ts';
import { chatCosts } from './costs.ts';
import { chatDialects } from './dialects.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { chatStates } from './states.ts';
import { KEEP_ALIVE_COMMENT } from '../stream/keep-alive.ts';
import { chatStored } from './stored.ts';
import { findChatFailure, openaiErrorBody, saysContextTooLong } from './errors.ts';
import { findCalls, findPieces } from './message.ts';
import { openaiModelList } from './model-list.ts';
import { chatExtras } from './extras.ts';
import { chatUsage, chatUsageOnRequest } from './usage.ts';

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
  title: 'OpenAI Chat Completions',
  nearest: ['openai-responses', 'anthropic-messages'],
  requestSchema: () => requestSchema,
  isPlainRequest: (body) =>
    isPlain.model(body['model']) &&
    isPlain.messages(body['messages']) &&
    isPlain.stream(body['stream']) &&
    isAbsentOr(isPlain.limit, body['max_tokens']) &&
    isAbsentOr(isPlain.limit, body['max_completion_tokens']) &&
    isAbsentOr(asksPlainly, body['stream_options']),
  conversion: chatConversion,
  dialects: chatDialects,
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
  respell: undefined,
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
  keyHeader: { name: 'authorization', prefix: 'Bearer ' },
  streamRequest: { action: 'generate', query: '' },
  streamsJsonArrays: false,
  readFrame: undefined,
  modelListPath: '/v1/models',
  testRequest: (model, words) => ({ model, messages: [{ role: 'user', content: words }] }),
  callerHeaders: openaiCallerHeaders,
  callerQuery: new Set(),
  defaultHeaders: {},
  modelPaths: [['model']],
  usage: chatUsage,
  extras: chatExtras,
  findFailure: findChatFailure,
  isPreamble: (event) =>
    findFailure(event) === undefined &&
    chatUsage.findInBody(event) === undefined &&
    listAt(event, 'choices').every(isEmptyChoice),
  isFinal: (event) =>
    listAt(event, 'choices').some(
      (choice) => textAt(choice, 'finish_reason') !== '' && findFailure(choice) === undefined,
    ),
  finishReasons: (event) => listAt(event, 'choices').map((choice) => textAt(choice, 'finish_reason')),
  emittedText(event) {
    let text = '';
    for (const choice of listAt(event, 'choices'))
      text += textOfMessage(objectAt(choice, 'delta') ?? objectAt(choice, 'message'));
    return text;
  },
  requestText: (body) => textsIn(body['messages'], body['tools']),
  countedTokens: undefined,
  countRequest: undefined,
  countTokensBody: () => undefined,
};

const asksPlainly = (options: unknown): boolean =>
  isObject(options) && isPlain.stream(options['include_usage']);

/** A choice of which only the role is told. */
function isEmptyChoice(choice: unknown): boolean {
  if (textAt(choice, 'finish_reason') !== '' || findFailure(choice)) return false;
  const delta = objectAt(choice, 'delta') ?? {};
  return Object.entries(delta).every(
    ([key, value]) =>
      key === 'role' || value === null || value === '' || (Array.isArray(value) && value.length === 0),
  );
}

function textOfMessage(message: unknown): string {
  let text = '';
  for (const piece of findPieces(message)) if (piece.kind !== 'image') text += piece.text;
  for (const { name, input } of findCalls(message)) text += name + input;
  return text;
}
