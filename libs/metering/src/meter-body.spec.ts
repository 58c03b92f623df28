import type { ClientProtocol } from '@tollgate/vocabulary';
import { createMeter, tokenWeight } from './index.ts';

const SAID = 'Hello there, 世界';

function metered(protocol: ClientProtocol, body: string) {
  const meter = createMeter(protocol, { stream: 'none', requestEstimate: 33 });
  for (const byte of Buffer.from(body)) meter.feed(Buffer.from([byte]));
  expect(meter.last()).toBeUndefined();
  return meter.finish('complete');
}

const bodies: [ClientProtocol, answer: object, usage: object][] = [
  [
    'openai-chat',
    { choices: [{ message: { content: SAID } }] },
    { usage: { prompt_tokens: 11, completion_tokens: 4 } },
  ],
  [
    'openai-responses',
    { object: 'response', output: [{ type: 'message', content: [{ type: 'output_text', text: SAID }] }] },
    { usage: { input_tokens: 11, output_tokens: 4 } },
  ],
  [
    'anthropic-messages',
    { type: 'message', content: [{ type: 'text', text: SAID }] },
    { usage: { input_tokens: 11, output_tokens: 4 } },
  ],
  [
    'gemini',
    { candidates: [{ content: { parts: [{ text: SAID }] } }] },
    { usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 4 } },
  ],
];

describe.each(bodies)('a whole %s answer', (protocol, answer, usage) => {
  test('that was parsed already counts the same', () => {
    for (const body of [{ ...answer, ...usage }, answer]) {
      const meter = createMeter(protocol, { stream: 'none', requestEstimate: 33, whole: body });
      meter.feed(Buffer.from(JSON.stringify(body)));
      expect(meter.finish('complete')).toEqual(metered(protocol, JSON.stringify(body)));
    }
  });

  test('counts what it reports', () => {
    expect(metered(protocol, JSON.stringify({ ...answer, ...usage }))).toEqual({
      tokens: { input: 11, output: 4 },
      source: 'upstream',
    });
  });

  test('without a report is estimated from its text', () => {
    expect(metered(protocol, JSON.stringify(answer))).toEqual({
      tokens: { input: 33, output: Math.ceil(tokenWeight(SAID)) },
      source: 'estimated',
    });
  });

  test.each(['', 'null', '[]', '<html></html>', '{"usage":5,"usageMetadata":"x"}'])(
    'that is %j is estimated by its request',
    (body) => {
      expect(metered(protocol, body)).toEqual({ tokens: { input: 33 }, source: 'estimated' });
    },
  );
});

test.each<[string, ClientProtocol, object, string]>([
  [
    'a Chat tool call',
    'openai-chat',
    {
      choices: [
        { message: { content: null, tool_calls: [{ function: { name: 'find', arguments: '{}' } }] } },
      ],
    },
    'find{}',
  ],
  [
    'a Responses function call and a summary',
    'openai-responses',
    {
      object: 'response',
      output: [{ summary: [{ text: 'why' }] }, { type: 'function_call', arguments: '{"a":1}' }],
    },
    'why{"a":1}',
  ],
  [
    'an Anthropic tool use and its thinking',
    'anthropic-messages',
    { content: [{ thinking: 'why' }, { type: 'tool_use', name: 'find', input: { a: 1 } }] },
    'whyfind{"a":1}',
  ],
  [
    'a Gemini function call',
    'gemini',
    { candidates: [{ content: { parts: [{ functionCall: { name: 'find', args: { a: 1 } } }] } }] },
    'find{"a":1}',
  ],
])('%s weighs what it says', (_, protocol, body, text) => {
  expect(metered(protocol, JSON.stringify(body)).tokens.output).toBe(Math.ceil(tokenWeight(text)));
});
