import { numberIn, requestNumber } from './requests.ts';
import { usageIn } from './read-answer.ts';

test('no two requests of a kind have the same number of words to read and to say', () => {
  const seen = new Set<string>();
  for (let n = 0; n < 20_000; n += 1) {
    const { protocol, stream, body } = requestNumber(n);
    const words = /"words\\?":(\d+)/.exec(body)?.[1];
    seen.add([protocol, stream, words, body.split(' well').length, n % 5 === 0].join());
  }
  expect(seen.size).toBe(20_000);
});

test('a request is known by its text', () => {
  expect(numberIn('Request number 17 well well')).toBe(17);
  expect(numberIn('Something else')).toBeUndefined();
});

test.each([
  [
    'openai-chat',
    false,
    '{"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}',
  ],
  [
    'openai-chat',
    true,
    'data: {"usage":null}\n\ndata: {"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}\n\ndata: [DONE]\n\n',
  ],
  [
    'openai-responses',
    true,
    'event: response.completed\ndata: {"response":{"usage":{"input_tokens":9,"output_tokens":2,"input_tokens_details":{"cached_tokens":4}}}}\n\n',
  ],
  ['anthropic-messages', false, '{"usage":{"input_tokens":5,"cache_read_input_tokens":4,"output_tokens":2}}'],
  [
    'anthropic-messages',
    true,
    'data: {"message":{"usage":{"input_tokens":5,"cache_read_input_tokens":4,"output_tokens":1}}}\n\ndata: {"usage":{"output_tokens":2}}\n\n',
  ],
  [
    'gemini',
    false,
    '{"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":2}}',
  ],
])('the usage in an answer of %s (stream: %s) is read', (protocol, stream, text) => {
  expect(usageIn(protocol, stream, text)).toEqual({ input: 5, cache_read: 4, output: 2 });
});

test('an answer that says nothing of usage has none', () => {
  expect(usageIn('openai-chat', true, 'data: {"choices":[]}\n\ndata: [DONE]\n\n')).toBeUndefined();
});
