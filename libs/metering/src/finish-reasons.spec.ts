import type { ClientProtocol } from '@tollgate/vocabulary';
import { createMeter } from './index.ts';

const REQUEST = 33;
const sse = (...events: object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

test.each<[ClientProtocol, object[], object, string[]]>([
  [
    'openai-chat',
    [
      { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
      { choices: [{ index: 2, delta: {}, finish_reason: 'stop' }] },
    ],
    { choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }] },
    ['stop', 'length'],
  ],
  [
    'openai-responses',
    [{ type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } }],
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ['max_output_tokens'],
  ],
  [
    'anthropic-messages',
    [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }],
    { stop_reason: 'tool_use' },
    ['tool_use'],
  ],
  [
    'gemini',
    [{ candidates: [{ finishReason: 'MAX_TOKENS' }] }],
    { candidates: [{ finishReason: 'MAX_TOKENS' }] },
    ['MAX_TOKENS'],
  ],
])('%s says why the model ended, in a stream and whole', (protocol, events, whole, reasons) => {
  const stream = createMeter(protocol, { stream: 'sse', requestEstimate: REQUEST });
  stream.feed(sse(...events));
  stream.finish('complete');
  expect(stream.finishReasons()).toEqual(reasons);
  const body = createMeter(protocol, { stream: 'none', requestEstimate: REQUEST });
  body.feed(Buffer.from(JSON.stringify(whole)));
  body.finish('complete');
  expect(body.finishReasons()).toEqual(reasons);
});

test('of a stream that ends for ever new reasons a few are kept, and not all of a long one', () => {
  const meter = createMeter('openai-chat', { stream: 'sse', requestEstimate: REQUEST });
  for (let n = 0; n < 100; n += 1)
    meter.feed(sse({ choices: [{ delta: {}, finish_reason: `${n} ${'x'.repeat(1_000)}` }] }));
  expect(meter.finishReasons().map(({ length }) => length)).toEqual(Array(16).fill(64));
});
