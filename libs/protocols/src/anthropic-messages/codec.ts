import { z } from 'zod';
import type { Codec, RawUsage } from '../codec.ts';
import { failureIn, failureOf } from '../failure.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { messagesField, modelField, streamField, textsIn } from '../schema.ts';
import { messagesCosts } from './costs.ts';
import { messagesErrorBody } from './errors.ts';
import { messagesModelList } from './model-list.ts';
import { formatRemaining, type WriteRateLimit } from '../rate-limit-headers.ts';
import { messagesStates } from '../reasoning/messages-states.ts';
import { encodeSse } from '../stream/encode-sse.ts';
import { messagesStored } from './stored.ts';
import { anthropicTokens } from './usage.ts';

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
  requestSchema: ({ action }) => (action === 'count' ? countSchema : requestSchema),
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
  authHeaders: (credential) => ({ 'x-api-key': credential }),
  defaultHeaders: { 'anthropic-version': '2023-06-01' },
  modelPaths: [['model'], ['message', 'model']],
  usageOfBody: (body) => objectAt(body, 'usage'),
  usageOfEvent(event, before) {
    switch (textAt(event, 'type')) {
      case 'message_start': {
        const usage = objectAt(objectAt(event, 'message'), 'usage');
        return usage && { usage, final: false, cumulative: false };
      }
      case 'message_delta': {
        const usage = objectAt(event, 'usage');
        return usage && { usage: overwrite(before ?? {}, usage), final: true, cumulative: true };
      }
      default:
        return undefined;
    }
  },
  failureOf: (event) =>
    textAt(event, 'type') === 'message'
      ? undefined
      : (failureIn(event) ??
        (textAt(event, 'type') === 'error' && isObject(event) ? failureOf(event) : undefined)),
  isPreamble: (event) =>
    PREAMBLE.has(textAt(event, 'type')) || isEmptyBlock(objectAt(event, 'content_block')),
  isFinal: (event) => FINAL.has(textAt(event, 'type')),
  tokensOf: anthropicTokens,
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

/** A later report replaces what it names; a counter that it leaves out or sets to null keeps its value. */
function overwrite(before: RawUsage, later: RawUsage): RawUsage {
  return {
    ...before,
    ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null && value !== undefined)),
  };
}

/** The beginning of a text or a thought that has no words yet. */
const isEmptyBlock = (block: unknown): boolean =>
  /^(?:text|thinking)$/.test(textAt(block, 'type')) && textOfBlock(block) === '';

function textOfBlock(block: unknown): string {
  const input = isObject(block) && isObject(block['input']) ? JSON.stringify(block['input']) : '';
  return textAt(block, 'text') + textAt(block, 'thinking') + textAt(block, 'name') + input;
}
