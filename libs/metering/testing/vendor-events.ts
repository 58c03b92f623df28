// What vendors send in a stream, of each format.
const MODEL = { id: 'a', model: 'gpt-4.1', system_fingerprint: 'fp', service_tier: 'default' };
export const chat = (delta: object, more: object = {}) => ({
  ...MODEL,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  usage: null,
  ...more,
});
export const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
/** As Anthropic fills its events up. */
const spaced = (record: string, spaces: number) => record.replace(/\}\n\n$/, `${' '.repeat(spaces)}}\n\n`);

/** One way in which a vendor sends a text. */
export const VENDORS = {
  'openai-chat': (text: string, n: number) =>
    data(chat({ content: text }, n % 3 === 0 ? {} : { obfuscation: 'x'.repeat(n % 7) })),
  'openai-responses': (text: string, n: number) =>
    named({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      delta: text,
      sequence_number: n,
      obfuscation: 'x'.repeat(n % 7),
    } as { type: string }),
  'anthropic-messages': (text: string, n: number) =>
    spaced(
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as {
        type: string;
      }),
      n % 4,
    ),
  gemini: (text: string, n: number) =>
    data({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
      ...(n % 5 === 0 ? { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: n } } : {}),
    }),
} as const;
export type Vendor = keyof typeof VENDORS;

/** What may stand between texts: reports, ends, failures, other choices, comments, line ends of another kind, and what is no JSON. */
export const OTHERS: Readonly<Record<Vendor, readonly string[]>> = {
  'openai-chat': [
    data(chat({ role: 'assistant', content: '' })),
    data(chat({}, { usage: { prompt_tokens: 5, completion_tokens: 2 } })),
    data(chat({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
    data(chat({}, { choices: [{ index: 1, delta: { content: 'other' } }] })),
    data(chat({ content: 'usage', annotations: [{ type: 'url_citation' }] })),
    data(chat({ content: 'tier' }, { service_tier: 'priority' })),
    data({ error: { message: 'overloaded' } }),
    data(chat({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] })),
    data(chat({ content: 'both', reasoning_content: 'both' })),
  ],
  'openai-responses': [
    named({ type: 'response.output_item.done', item: { type: 'web_search_call' } } as { type: string }),
    named({ type: 'response.completed', response: { usage: { input_tokens: 5, output_tokens: 2 } } } as {
      type: string;
    }),
    named({ type: 'response.failed', response: {} } as { type: string }),
  ],
  'anthropic-messages': [
    named({ type: 'message_start', message: { usage: { input_tokens: 5 } } } as { type: string }),
    named({ type: 'message_delta', delta: {}, usage: { output_tokens: 7 } } as { type: string }),
    named({ type: 'message_stop' }),
    named({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{' },
    } as {
      type: string;
    }),
    'event: ping\ndata: {"type": "ping"}\n\n',
  ],
  gemini: [
    data({ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] }),
    data({ candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b' }] } }] }),
    data({ candidates: [{ groundingMetadata: { webSearchQueries: ['a'] } }] }),
  ],
};
/** What looks like a text, and bears a state of reasoning, or a part of one. */
export const SIGNED: Readonly<Record<Vendor, readonly ((text: string, state: string) => string)[]>> = {
  'openai-chat': [
    (content, state) => data(chat({ content, tool_calls: [signedCall(state)] })),
    (text, state) => data(chat({ tool_calls: [{ ...signedCall(state), function: { arguments: text } }] })),
    (content, state) => data({ choices: [{ message: { content, tool_calls: [signedCall(state)] } }] }),
  ],
  'openai-responses': [
    (delta, state) => data({ type: 'a.delta', delta, object: 'response', output: [reasoningItem(state)] }),
    (text, state) =>
      data({ object: 'response', output: [{ content: [{ text }] }, reasoningItem(state), { content: [] }] }),
    (text, state) => data({ object: 'response', output: [{ ...reasoningItem(state), summary: [{ text }] }] }),
  ],
  'anthropic-messages': [
    (text, signature) => data({ index: 0, delta: { type: 'signature_delta', text, signature } }),
    (thinking, signature) => data({ index: 1, delta: { type: 'signature_delta', thinking, signature } }),
    (text, state) => data({ delta: { text }, content_block: { type: 'redacted_thinking', data: state } }),
    (thinking, signature) => data({ content: [{ type: 'thinking', thinking, signature }] }),
  ],
  gemini: [
    (text, thoughtSignature) => data({ candidates: [{ content: { parts: [{ text, thoughtSignature }] } }] }),
    (text, thoughtSignature) =>
      data({ candidates: [{ content: { parts: [{ text, thought: true }, { thoughtSignature }] } }] }),
    (name, thoughtSignature) =>
      data({ candidates: [{ content: { parts: [{ functionCall: { name }, thoughtSignature }] } }] }),
  ],
};
const signedCall = (state: string) => ({
  index: 0,
  extra_content: { google: { thought_signature: state } },
});
const reasoningItem = (state: string) => ({ type: 'reasoning', encrypted_content: state });
