import type { ClientProtocol } from '@tollgate/vocabulary';
import { createMeter, tokenWeight } from './index.ts';

const REQUEST = 33;
const sse = (...events: object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

/** What an upstream says before it answers, something that it answers, and an error in place of the rest. */
const failing: Record<ClientProtocol, { before: object[]; said: object; error: object }> = {
  'openai-chat': {
    before: [{ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }],
    said: { choices: [{ index: 0, delta: { content: 'Hello there' } }] },
    error: { error: { message: 'Overloaded', code: 502 } },
  },
  'openai-responses': {
    before: [
      { type: 'response.created', response: { id: 'r', error: null } },
      { type: 'response.output_item.added', item: { type: 'message' } },
    ],
    said: { type: 'response.output_text.delta', delta: 'Hello there' },
    error: { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
  },
  'anthropic-messages': {
    before: [
      { type: 'message_start', message: { usage: { input_tokens: 100, output_tokens: 2 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    said: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello there' } },
    error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  },
  gemini: {
    before: [{ candidates: [{ content: { parts: [] } }], usageMetadata: { promptTokenCount: 100 } }],
    said: { candidates: [{ content: { parts: [{ text: 'Hello there' }] } }] },
    error: { error: { code: 503, message: 'Overloaded' } },
  },
};

describe.each(Object.entries(failing))('an error in a stream of %s', (name, { before, said, error }) => {
  const protocol = name as ClientProtocol;
  const meterOf = (...events: object[]) => {
    const meter = createMeter(protocol, { stream: 'sse', requestEstimate: REQUEST });
    meter.feed(sse(...events));
    return meter;
  };

  test.each([
    ['alone', [error]],
    ['after what only announces an answer', [...before, error]],
  ])('%s is no end of an answer, and nothing is paid', (_, events) => {
    const meter = meterOf(...events);
    expect([meter.complete(), meter.failed()]).toEqual([false, true]);
    expect(meter.finish('upstream_cut').tokens).toEqual({});
  });

  test('after some of the answer leaves that to be paid', () => {
    const meter = meterOf(...before, said, error);
    expect([meter.complete(), meter.failed()]).toEqual([false, true]);
    const { tokens } = meter.finish('upstream_cut');
    expect(tokens.output).toBe(Math.ceil(tokenWeight('Hello there')));
    expect(tokens.input).toBeGreaterThan(0);
  });

  test('a client that leaves before anything came pays for its request', () => {
    expect(meterOf(...before).finish('client_aborted').tokens.input).toBeGreaterThan(0);
  });
});
