import type { UpstreamCodec } from '../codec.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import { converseConversion } from './convert/conversion.ts';
import { converseDialects } from './dialects.ts';
import { findConverseFailure } from './errors.ts';
import { converseExtras } from './extras.ts';
import { readConverseFrame } from './frames.ts';
import { converseUsage } from './usage.ts';

const VERBS = { generate: 'converse', stream: 'converse-stream', count: 'count-tokens' } as const;

/**
 * Amazon Bedrock's Converse, which upstreams speak and no client of ours does. Its streams are binary frames; what is read
 * here is the one-member object that stands for each, such as `{"messageStop":{"stopReason":"end_turn"}}`.
 */
export const bedrockConverse: UpstreamCodec = {
  title: 'Amazon Bedrock Converse',
  conversion: converseConversion,
  dialects: converseDialects,
  outputFields: [
    { path: ['inferenceConfig', 'maxTokens'], role: 'limit' },
    { path: ['additionalModelRequestFields', 'thinking', 'budget_tokens'], role: 'raises' },
    { path: ['additionalModelRequestFields', 'max_tokens'], role: 'raises' },
  ],
  respell: undefined,
  modelInBody: false,
  errorBody: ({ message }) => ({ message }),
  telemetry: { provider: 'aws.bedrock', operation: 'chat' },
  // The id of a model may be an ARN, with colons and slashes.
  upstreamPath: ({ model, action }) => `/model/${encodeURIComponent(model)}/${VERBS[action]}`,
  keyHeader: { name: 'authorization', prefix: 'Bearer ' },
  streamRequest: { action: 'stream', query: '' },
  streamsJsonArrays: false,
  readFrame: readConverseFrame,
  modelListPath: undefined,
  testRequest: (_model, words) => ({
    messages: [{ role: 'user', content: [{ text: words }] }],
    inferenceConfig: { maxTokens: 16 },
  }),
  defaultHeaders: {},
  usage: converseUsage,
  extras: converseExtras,
  findFailure: findConverseFailure,
  isPreamble: (event) => isObject(event) && 'messageStart' in event,
  // The usage comes behind it.
  isFinal: (event) => isObject(event) && ('messageStop' in event || 'metadata' in event),
  finishReasons: (event) => [textAt(objectAt(event, 'messageStop') ?? event, 'stopReason')],
  emittedText(event) {
    const delta = objectAt(objectAt(event, 'contentBlockDelta'), 'delta');
    if (delta) return wordsOf(delta) + textAt(objectAt(delta, 'toolUse'), 'input');
    const content = listAt(objectAt(objectAt(event, 'output'), 'message'), 'content');
    return content
      .map((block) => {
        const call = objectAt(block, 'toolUse');
        const said = wordsOf(block);
        return call ? said + textAt(call, 'name') + JSON.stringify(call['input'] ?? {}) : said;
      })
      .join('');
  },
  countedTokens: (body) => numberAt(body, 'inputTokens'),
  countRequest: ({ messages, system, toolConfig, additionalModelRequestFields }) => ({
    input: { converse: { messages, system, toolConfig, additionalModelRequestFields } },
  }),
};

/** Words and thoughts of a block, or of a piece of one. */
function wordsOf(block: unknown): string {
  const thought = objectAt(block, 'reasoningContent');
  return textAt(block, 'text') + textAt(thought, 'text') + textAt(objectAt(thought, 'reasoningText'), 'text');
}
