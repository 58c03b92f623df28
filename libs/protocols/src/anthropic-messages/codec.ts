import { z } from 'zod';
import type { Codec } from '../codec.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { isPlain, messagesField, modelField, streamField, textsIn } from '../schema.ts';
import { messagesConversion } from './convert/conversion.ts';
import { messagesCosts } from './costs.ts';
import { messagesDialects } from './dialects.ts';
import { findMessagesFailure, messagesErrorBody } from './errors.ts';
import { messagesModelList } from './model-list.ts';
import { formatRemaining, type WriteRateLimit } from '../rate-limit-headers.ts';
import { messagesStates } from './states.ts';
import { encodeSse } from '../stream/encode-sse.ts';
import { messagesStored } from './stored.ts';
import { messagesExtras } from './extras.ts';
import { messagesUsage } from './usage.ts';

const countSchema = z.looseObject({ model: modelField, messages: messagesField });
const requestSchema = countSchema.extend({
  max_tokens: z.int({ error: 'is required and must be an integer' }).min(1, 'must be at least 1'),
  stream: streamField,
});

const FINAL = new Set(['message_delta', 'message_stop']);
const PREAMBLE = new Set(['message_start', 'ping']);

/** Anthropic states the reset as a time. */
const writeMessagesRateLimit: WriteRateLimit = (headers, unit, { limit, remaining, resetMs }, now) => {
  headers[`anthropic-ratelimit-${unit}-limit`] = String(limit);
  headers[`anthropic-ratelimit-${unit}-remaining`] = formatRemaining(remaining);
  headers[`anthropic-ratelimit-${unit}-reset`] = new Date(now + resetMs).toISOString();
};

/** Anthropic Messages, versions 2023-06-01 and 2026-10-21. */
export const anthropicMessages: Codec = {
  title: 'Anthropic Messages',
  nearest: ['openai-responses', 'openai-chat'],
  requestSchema: ({ action }) => (action === 'count' ? countSchema : requestSchema),
  isPlainRequest: (body, { action }) =>
    isPlain.model(body['model']) &&
    isPlain.messages(body['messages']) &&
    (action === 'count' || (isPlain.limit(body['max_tokens']) && isPlain.stream(body['stream']))),
  conversion: messagesConversion,
  dialects: messagesDialects,
  costs: messagesCosts,
  stored: messagesStored,
  states: messagesStates,
  readRequest(body, { action }) {
    const { model } = body as z.infer<typeof countSchema>;
    if (action === 'count') return { model, stream: false, includeUsage: true };
    const { stream } = body as z.infer<typeof requestSchema>;
    return { model, stream: stream ?? false, includeUsage: true };
  },
  // With interleaved thinking the budget may be larger than the limit.
  outputFields: [
    { path: ['max_tokens'], role: 'limit' },
    { path: ['thinking', 'budget_tokens'], role: 'raises', isWithinLimit: true },
    { path: ['max_output_tokens'], role: 'raises' },
    { path: ['max_completion_tokens'], role: 'raises' },
    { path: ['max_tokens_to_sample'], role: 'raises' },
  ],
  respell: undefined,
  modelInBody: true,
  parsePath: undefined,
  clientFraming: () => 'sse',
  usageOnRequest: undefined,
  saysContextTooLong: (body) => /prompt is too long/i.test(body),
  readsErrorsInStreams: () => false,
  isOwnClient: ({ headers }) => headers['anthropic-version'] !== undefined,
  modelList: messagesModelList,
  writeRateLimit: writeMessagesRateLimit,
  errorBody: messagesErrorBody,
  streamError: (error) => encodeSse(messagesErrorBody(error, undefined)),
  keepAlive: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
  namedEventsNeedData: false,
  telemetry: { provider: 'anthropic', operation: 'chat' },
  namesAnswers: false,
  upstreamPath: ({ action }) => (action === 'count' ? '/v1/messages/count_tokens' : '/v1/messages'),
  keyHeader: { name: 'x-api-key', prefix: '' },
  streamRequest: { action: 'generate', query: '' },
  streamsJsonArrays: false,
  readFrame: undefined,
  modelListPath: '/v1/models',
  testRequest: (model, words) => ({ model, max_tokens: 16, messages: [{ role: 'user', content: words }] }),
  callerHeaders: {
    names: new Set([
      'anthropic-version',
      'anthropic-beta',
      'anthropic-dangerous-direct-browser-access',
      'x-app',
    ]),
    prefixes: ['x-stainless-', 'x-claude-code-'],
  },
  callerQuery: new Set(['beta=true']),
  defaultHeaders: { 'anthropic-version': '2023-06-01' },
  modelPaths: [['model'], ['message', 'model']],
  usage: messagesUsage,
  extras: messagesExtras,
  findFailure: findMessagesFailure,
  isPreamble: (event) =>
    PREAMBLE.has(textAt(event, 'type')) || isEmptyBlock(objectAt(event, 'content_block')),
  isFinal: (event) => FINAL.has(textAt(event, 'type')),
  finishReasons: (event) => [textAt(objectAt(event, 'delta') ?? event, 'stop_reason')],
  emittedText(event) {
    const delta = objectAt(event, 'delta');
    if (delta) return textAt(delta, 'text') + textAt(delta, 'thinking') + textAt(delta, 'partial_json');
    return listAt(event, 'content').map(textOfBlock).join('');
  },
  requestText: (body) => textsIn(body['system'], body['messages'], body['tools']),
  countedTokens: (body) => numberAt(body, 'input_tokens'),
  countRequest: ({
    max_tokens: _max,
    stream: _stream,
    temperature: _t,
    top_p: _p,
    top_k: _k,
    stop_sequences: _s,
    metadata: _m,
    ...body
  }) => body,
  countTokensBody: (tokens) => ({ input_tokens: tokens }),
};

/** The beginning of a text or a thought that has no words yet. */
const isEmptyBlock = (block: unknown): boolean =>
  /^(?:text|thinking)$/.test(textAt(block, 'type')) && textOfBlock(block) === '';

function textOfBlock(block: unknown): string {
  const input = isObject(block) && isObject(block['input']) ? JSON.stringify(block['input']) : '';
  return textAt(block, 'text') + textAt(block, 'thinking') + textAt(block, 'name') + input;
}
