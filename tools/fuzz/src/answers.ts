import type { ClientProtocol } from '@tollgate/vocabulary';
import type fc from 'fast-check';
import { type Json, mutated, mutations, readable } from './mutate.ts';

const CHAT_USAGE: Json = {
  prompt_tokens: 40,
  completion_tokens: 25,
  prompt_tokens_details: { cached_tokens: 16, audio_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const RESPONSES_USAGE: Json = {
  input_tokens: 40,
  output_tokens: 25,
  input_tokens_details: { cached_tokens: 16 },
  output_tokens_details: { reasoning_tokens: 5 },
};
const MESSAGES_USAGE: Json = {
  input_tokens: 21,
  cache_read_input_tokens: 9,
  cache_creation_input_tokens: 5,
  cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
  output_tokens: 7,
  iterations: [{ type: 'compaction', input_tokens: 3, output_tokens: 1 }],
};
const GEMINI_USAGE: Json = {
  promptTokenCount: 30,
  candidatesTokenCount: 9,
  thoughtsTokenCount: 6,
  totalTokenCount: 45,
  promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
};
const GOOGLE: Json = { google: { thought_signature: 'c2ln' } };
const CITED: Json = { type: 'url_citation', url_citation: { url: 'https://example.com', title: 'E' } };
const ANNOTATION: Json = { type: 'url_citation', url: 'https://example.com', title: 'E' };
const GROUNDING: Json = { groundingChunks: [{ web: { uri: 'https://example.com', title: 'E' } }] };

const RESPONSE: Json = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'c2ln',
    },
    {
      type: 'message',
      id: 'msg_1',
      content: [
        { type: 'output_text', text: 'Hello', annotations: [ANNOTATION] },
        { type: 'refusal', refusal: 'No.' },
      ],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '{"city":"Bern"}' },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'patch', input: 'add' },
  ],
  usage: RESPONSES_USAGE,
};

/** A whole answer of each format with something of everything. */
const ANSWERS: Readonly<Record<ClientProtocol, Json>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Hello',
          reasoning_content: 'Hm.',
          refusal: null,
          annotations: [CITED],
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'find', arguments: '{"a":1}' },
              extra_content: GOOGLE,
            },
            { id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'add' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: CHAT_USAGE,
  },
  'openai-responses': RESPONSE,
  'anthropic-messages': {
    id: 'msg_1',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'c2ln' },
      { type: 'text', text: 'Hello', citations: [{ url: 'https://example.com', title: 'E' }] },
      { type: 'tool_use', id: 'toolu_1', name: 'find', input: { city: 'Bern' } },
      { type: 'tool_use', id: 'toolu_2', name: 'patch', input: { input: 'add' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: MESSAGES_USAGE,
  },
  gemini: {
    responseId: 'r1',
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true },
            { text: 'Hello', thoughtSignature: 'c2ln' },
            { functionCall: { name: 'find', args: { city: 'Bern' } }, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'c2', name: 'patch', args: { input: 'add' } } },
          ],
        },
        finishReason: 'STOP',
        groundingMetadata: GROUNDING,
        index: 0,
      },
    ],
    usageMetadata: GEMINI_USAGE,
  },
};

const chunk = (delta: Json, finish: Json = null, usage: Json = null): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: finish }],
  usage,
});
const text = { output_index: 1, content_index: 0 };
const candidate = (parts: Json[], more: Record<string, Json> = {}): Json => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata: GEMINI_USAGE,
  responseId: 'r1',
});
const delta = (index: number, piece: Json): Json => ({ type: 'content_block_delta', index, delta: piece });
const start = (index: number, content_block: Json): Json => ({
  type: 'content_block_start',
  index,
  content_block,
});
const stop = (index: number): Json => ({ type: 'content_block_stop', index });

/** The events of a stream of each format with something of everything. */
export const EVENTS: Readonly<Record<ClientProtocol, readonly Json[]>> = {
  'openai-chat': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm.' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo', annotations: [CITED] }),
    chunk({ refusal: 'No.' }),
    chunk({
      tool_calls: [
        { index: 0, id: 'call_1', function: { name: 'find', arguments: '' }, extra_content: GOOGLE },
      ],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
    chunk({
      tool_calls: [{ index: 1, id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'add' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
    chunk({}, 'tool_calls'),
    { id: 'chatcmpl-1', choices: [], usage: CHAT_USAGE },
    '[DONE]',
  ],
  'openai-responses': [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { id: 'resp_1' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [] },
    },
    { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', encrypted_content: 'c2ln' },
    },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { id: 'msg_1', type: 'message', content: [] },
    },
    { type: 'response.output_text.delta', ...text, delta: 'Hel' },
    { type: 'response.output_text.annotation.added', ...text, annotation: ANNOTATION },
    { type: 'response.output_text.done', ...text, text: 'Hello' },
    { type: 'response.refusal.delta', output_index: 1, content_index: 1, delta: 'No.' },
    { type: 'response.refusal.done', output_index: 1, content_index: 1, refusal: 'No.' },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'function_call', call_id: 'call_1', name: 'find' },
    },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a":1}' },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { type: 'function_call', arguments: '{"a":1}' },
    },
    {
      type: 'response.output_item.added',
      output_index: 3,
      item: { type: 'custom_tool_call', call_id: 'call_2', name: 'patch' },
    },
    { type: 'response.output_item.done', output_index: 3, item: { type: 'custom_tool_call', input: 'add' } },
    { type: 'response.completed', response: RESPONSE },
  ],
  'anthropic-messages': [
    { type: 'message_start', message: { id: 'msg_1', usage: MESSAGES_USAGE } },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    stop(0),
    start(1, { type: 'redacted_thinking', data: 'c2ln' }),
    stop(1),
    { type: 'ping' },
    start(2, { type: 'text', text: '' }),
    delta(2, { type: 'text_delta', text: 'Hello' }),
    delta(2, { type: 'citations_delta', citation: { url: 'https://example.com' } }),
    stop(2),
    start(3, { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '{"a":1}' }),
    stop(3),
    start(4, { type: 'tool_use', id: 'toolu_2', name: 'patch', input: { input: 'add' } }),
    stop(4),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: MESSAGES_USAGE },
    { type: 'message_stop' },
  ],
  gemini: [
    candidate([{ text: 'Hm.', thought: true }]),
    candidate([{ text: 'Hel' }, { text: 'lo', thoughtSignature: 'c2ln' }]),
    candidate([{ functionCall: { name: 'find', args: { a: 1 } }, thoughtSignature: 'c2ln' }]),
    candidate([{ functionCall: { id: 'c2', name: 'patch', args: { input: 'add' } } }]),
    candidate([{ text: '' }], { finishReason: 'STOP', groundingMetadata: GROUNDING }),
  ],
};

/** A whole answer that is more or less one of this format. */
export const generateAnswer = (protocol: ClientProtocol): fc.Arbitrary<Buffer> =>
  mutations.map((changes) => readable(Buffer.from(mutated(ANSWERS[protocol], changes))));
