import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { type Failure, failureIn, failureOf } from '../failure.ts';
import { countAt, isObject, listAt, nonZero, numberAt, objectAt, textAt } from '../json.ts';
import { openaiErrorBody, saysContextTooLong } from '../openai-chat/errors.ts';
import { openaiModelList } from '../openai-chat/model-list.ts';
import { openaiTokens } from '../openai-chat/usage.ts';
import { atLeastOne, modelField, streamField, textsIn } from '../schema.ts';
import { responsesCosts } from './costs.ts';
import { writeOpenaiRateLimit } from '../rate-limit-headers.ts';
import { responsesStates } from '../reasoning/responses-states.ts';
import { KEEP_ALIVE_COMMENT } from '../stream/keep-alive.ts';
import { responsesStreamError } from './errors.ts';
import { responsesStored } from './stored.ts';

const requestSchema = z.looseObject({
  model: modelField,
  input: z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
    error: 'is required: a string, or a list of items',
  }),
  stream: streamField,
  max_output_tokens: atLeastOne.nullish(),
});

const ENDS = new Set(['response.completed', 'response.incomplete']);
const TERMINAL = new Set([...ENDS, 'response.failed']);
const PREAMBLE = new Set([
  ...['response.created', 'response.queued', 'response.in_progress', 'keepalive'],
  ...['response.content_part.added', 'response.reasoning_summary_part.added'],
]);
/** Items that are told after they were announced. */
const EMPTY_ITEM = /^(?:message|reasoning)$/;

/** OpenAI Responses. */
export const openaiResponses: Codec = {
  requestSchema: () => requestSchema,
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
  authHeaders: (credential) => ({ authorization: `Bearer ${credential}` }),
  defaultHeaders: {},
  modelPaths: [['model'], ['response', 'model']],
  usageOfBody: (body) => objectAt(body, 'usage'),
  usageOfEvent(event) {
    if (!TERMINAL.has(textAt(event, 'type'))) return undefined;
    const usage = objectAt(objectAt(event, 'response'), 'usage');
    return usage && { usage, final: true, cumulative: true };
  },
  failureOf: responsesFailure,
  isPreamble: (event) =>
    PREAMBLE.has(textAt(event, 'type')) ||
    (textAt(event, 'type') === 'response.output_item.added' &&
      EMPTY_ITEM.test(textAt(objectAt(event, 'item'), 'type'))),
  isFinal: (event) => ENDS.has(textAt(event, 'type')),
  tokensOf: (usage) => {
    const details = objectAt(usage, 'input_tokens_details');
    return nonZero(
      openaiTokens({
        input: countAt(usage, 'input_tokens'),
        output: countAt(usage, 'output_tokens'),
        cacheRead: countAt(details, 'cached_tokens'),
        cacheWrite: countAt(details, 'cache_write_tokens'),
        cacheWriteLong: countAt(objectAt(details, 'cache_write_tokens_details'), 'ttl_12h_tokens'),
        audioIn: countAt(details, 'audio_tokens'),
        imageIn: countAt(details, 'image_tokens'),
        reasoning: countAt(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens'),
        audioOut: countAt(objectAt(usage, 'output_tokens_details'), 'audio_tokens'),
        imageOut: countAt(objectAt(usage, 'output_tokens_details'), 'image_tokens'),
      }),
    );
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

const FAILED = new Set(['failed', 'cancelled']);

function responsesFailure(event: unknown): Failure | undefined {
  const type = textAt(event, 'type');
  const response = type === 'response.failed' ? objectAt(event, 'response') : event;
  if (type === 'error' && isObject(event)) return failureIn(event) ?? failureOf(event);
  if (type !== 'response.failed' && textAt(response, 'object') !== 'response') return failureIn(event);
  if (type !== 'response.failed' && !FAILED.has(textAt(response, 'status'))) return undefined;
  return failureIn(response) ?? failureIn(event) ?? { message: undefined, status: 500 };
}

function textOfItem(item: unknown): string {
  const parts = [...listAt(item, 'content'), ...listAt(item, 'summary')].map(
    (part) => textAt(part, 'text') + textAt(part, 'refusal'),
  );
  return parts.join('') + textAt(item, 'arguments') + textAt(item, 'input');
}
