import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { openaiCallerHeaders } from '../openai-chat/caller-headers.ts';
import { openaiErrorBody, saysContextTooLong } from '../openai-chat/errors.ts';
import { openaiModelList } from '../openai-chat/model-list.ts';
import { atLeastOne, isAbsentOr, isPlain, modelField, streamField, textsIn } from '../schema.ts';
import { responsesConversion } from './convert/conversion.ts';
import { responsesCosts } from './costs.ts';
import { responsesDialects } from './dialects.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { responsesStates } from './states.ts';
import { KEEP_ALIVE_COMMENT } from '../stream/keep-alive.ts';
import { findResponsesFailure, responsesStreamError } from './errors.ts';
import { responsesStored } from './stored.ts';
import { responsesExtras } from './extras.ts';
import { responsesUsage } from './usage.ts';

const requestSchema = z.looseObject({
  model: modelField,
  input: z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
    error: 'is required: a string, or a list of items',
  }),
  stream: streamField,
  max_output_tokens: atLeastOne.nullish(),
});

const ENDS = new Set(['response.completed', 'response.incomplete']);
const PREAMBLE = new Set([
  ...['response.created', 'response.queued', 'response.in_progress', 'keepalive'],
  ...['response.content_part.added', 'response.reasoning_summary_part.added'],
]);
/** Items that are told after they were announced. */
const EMPTY_ITEM = /^(?:message|reasoning)$/;

/** OpenAI Responses. */
export const openaiResponses: Codec = {
  title: 'OpenAI Responses',
  nearest: ['openai-chat', 'anthropic-messages'],
  requestSchema: () => requestSchema,
  isPlainRequest: (body) =>
    isPlain.model(body['model']) &&
    (typeof body['input'] === 'string' || Array.isArray(body['input'])) &&
    isPlain.stream(body['stream']) &&
    isAbsentOr(isPlain.limit, body['max_output_tokens']),
  conversion: responsesConversion,
  dialects: responsesDialects,
  costs: responsesCosts,
  stored: responsesStored,
  states: responsesStates,
  readRequest(body) {
    const { model, stream } = body as z.infer<typeof requestSchema>;
    return { model, stream: stream ?? false, includeUsage: true };
  },
  outputFields: [
    { path: ['max_output_tokens'], role: 'limit' },
    { path: ['max_tokens'], role: 'raises' },
    { path: ['max_completion_tokens'], role: 'raises' },
    { path: ['reasoning', 'max_tokens'], role: 'raises' },
    { path: ['thinking_budget'], role: 'beside' },
    { path: ['n'], role: 'answers' },
  ],
  respell: undefined,
  modelInBody: true,
  parsePath: undefined,
  clientFraming: () => 'sse',
  usageOnRequest: undefined,
  saysContextTooLong,
  // Codex shortens a conversation when the stream of an answer fails with `context_length_exceeded`, as OpenAI tells it;
  // from a status of 400 it takes only the words.
  readsErrorsInStreams: ({ originator }) => /^codex/i.test(String(originator ?? '')),
  isOwnClient: () => false,
  modelList: openaiModelList,
  writeRateLimit: writeOpenaiRateLimit,
  errorBody: openaiErrorBody,
  streamError: (error, { last }) => responsesStreamError(error, last),
  keepAlive: KEEP_ALIVE_COMMENT,
  namedEventsNeedData: true,
  telemetry: { provider: 'openai', operation: 'chat' },
  namesAnswers: true,
  upstreamPath: ({ action }) => (action === 'count' ? '/v1/responses/input_tokens' : '/v1/responses'),
  keyHeader: { name: 'authorization', prefix: 'Bearer ' },
  streamRequest: { action: 'generate', query: '' },
  streamsJsonArrays: false,
  readFrame: undefined,
  modelListPath: '/v1/models',
  testRequest: (model, words) => ({ model, input: words, max_output_tokens: 16 }),
  callerHeaders: openaiCallerHeaders,
  callerQuery: new Set(),
  defaultHeaders: {},
  modelPaths: [['model'], ['response', 'model']],
  usage: responsesUsage,
  extras: responsesExtras,
  findFailure: findResponsesFailure,
  isPreamble: (event) =>
    PREAMBLE.has(textAt(event, 'type')) ||
    (textAt(event, 'type') === 'response.output_item.added' &&
      EMPTY_ITEM.test(textAt(objectAt(event, 'item'), 'type'))),
  isFinal: (event) => ENDS.has(textAt(event, 'type')),
  finishReasons(event) {
    const response = objectAt(event, 'response') ?? event;
    const reason = textAt(objectAt(response, 'incomplete_details'), 'reason');
    return [reason === '' ? textAt(response, 'status') : reason];
  },
  emittedText(event) {
    const type = textAt(event, 'type');
    // Only deltas: the `.done` events repeat what the deltas said.
    if (type.endsWith('.delta')) return textAt(event, 'delta');
    return isObject(event) && event['object'] === 'response'
      ? listAt(event, 'output').map(textOfItem).join('')
      : '';
  },
  requestText: (body) => textsIn(body['instructions'], body['input'], body['tools']),
  countedTokens: (body) => numberAt(body, 'input_tokens'),
  countRequest: ({
    stream: _stream,
    store: _store,
    include: _include,
    max_output_tokens: _max,
    temperature: _t,
    top_p: _p,
    ...body
  }) => body,
  countTokensBody: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};

function textOfItem(item: unknown): string {
  const parts = [...listAt(item, 'content'), ...listAt(item, 'summary')].map(
    (part) => textAt(part, 'text') + textAt(part, 'refusal'),
  );
  return parts.join('') + textAt(item, 'arguments') + textAt(item, 'input');
}
