import type { Protocol } from '@tollgate/vocabulary';
import type { JsonObject } from '../json.ts';
import { createStreamConverter } from './convert-stream.ts';
import { createPlan, toBytes } from './golden/answer-cases.ts';

const SIZE = 1_000;
const text = 'x'.repeat(SIZE);
const start = {
  type: 'message_start',
  message: { id: 'msg_1', usage: { input_tokens: 1, output_tokens: 1 } },
};
const opened = (index: number, content_block: JsonObject) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, of: JsonObject) => ({ type: 'content_block_delta', index, delta: of });
const chat = (of: JsonObject) => ({ id: 'c', choices: [{ index: 0, delta: of }] });
const call = (of: JsonObject, index = 0) => chat({ tool_calls: [{ index, ...of }] });
const named = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"' } };

/** What a stream begins with, and what it goes on with for ever. */
const ENDLESS: [what: string, from: Protocol, begin: JsonObject[], next: (n: number) => JsonObject][] = [
  ['text of Chat', 'openai-chat', [], () => chat({ content: text })],
  ['thoughts of Chat', 'openai-chat', [], () => chat({ reasoning_content: text })],
  ['arguments of a call', 'openai-chat', [call(named)], () => call({ function: { arguments: text } })],
  ['arguments of a call that has no name', 'openai-chat', [], () => call({ function: { arguments: text } })],
  [
    'text of Messages',
    'anthropic-messages',
    [start, opened(0, { type: 'text', text: '' })],
    () => delta(0, { type: 'text_delta', text }),
  ],
  [
    'a signature',
    'anthropic-messages',
    [start, opened(0, { type: 'thinking', thinking: '' })],
    () => delta(0, { type: 'signature_delta', signature: text }),
  ],
  [
    'a block behind one that is open',
    'anthropic-messages',
    [start, opened(0, { type: 'text', text: '' }), opened(1, { type: 'text', text: '' })],
    () => delta(1, { type: 'text_delta', text }),
  ],
  [
    'text of Responses',
    'openai-responses',
    [{ type: 'response.created', response: { id: 'resp_1' } }],
    () => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: text }),
  ],
  [
    'text of Gemini',
    'gemini',
    [],
    () => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
  ],
];

test.each(ENDLESS)('%s that never ends is counted as it is kept', (_what, upstream, begin, next) => {
  for (const client of ['openai-responses', 'openai-chat', 'anthropic-messages', 'gemini'] as const) {
    const converter = createStreamConverter(createPlan(client, upstream), 'sse');
    converter.push(toBytes(upstream, begin));
    const before = converter.kept?.() ?? Number.NaN;
    for (let n = 0; n < 100; n += 1) converter.push(toBytes(upstream, [next(n)]));
    const grown = (converter.kept?.() ?? Number.NaN) - before;
    expect(grown).toBeGreaterThanOrEqual(100 * SIZE);
    expect(grown).toBeLessThan(150 * SIZE);
  }
});

test('blocks without a text count, too', () => {
  const converter = createStreamConverter(createPlan('openai-responses', 'anthropic-messages'), 'sse');
  converter.push(toBytes('anthropic-messages', [start]));
  for (let index = 0; index < 100; index += 1)
    converter.push(
      toBytes('anthropic-messages', [
        opened(index, { type: 'text', text: '' }),
        { type: 'content_block_stop', index },
      ]),
    );
  expect(converter.kept?.()).toBeGreaterThanOrEqual(100 * 1_024);
});

test('a long answer in single words counts as little more than its text', () => {
  const converter = createStreamConverter(createPlan('anthropic-messages', 'openai-chat'), 'sse');
  for (let n = 0; n < 1_000; n += 1) converter.push(toBytes('openai-chat', [chat({ content: 'word ' })]));
  expect(converter.kept?.()).toBeLessThan(20_000);
});

test('what comes behind the end of an answer is not kept', () => {
  const converter = createStreamConverter(createPlan('anthropic-messages', 'openai-chat'), 'sse');
  const ended = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  converter.push(Buffer.concat([toBytes('openai-chat', [ended]), Buffer.from('data: [DONE]\n\n')]));
  const kept = converter.kept?.();
  converter.push(toBytes('openai-chat', [chat({ content: text })]));
  expect(converter.kept?.()).toBe(kept);
});
