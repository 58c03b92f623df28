import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { isContextTooLong, promptTooLong } from './context-length.ts';
import { relayError, renderError } from './index.ts';

/** The words of servers, with what a client of Anthropic is told. */
const WORDS: [string, string | undefined][] = [
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    'prompt is too long: 9000 tokens > 8192 maximum',
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (6000 in the messages, 4000 in the completion).",
    'prompt is too long: 10000 tokens > 8192 maximum',
  ],
  [
    'prompt is too long: 210000 tokens > 200000 maximum',
    'prompt is too long: 210000 tokens > 200000 maximum',
  ],
  ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', undefined],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'prompt is too long: 1200000 tokens > 1048576 maximum',
  ],
  ['Your input exceeds the context window of this model. Please adjust your input and try again.', undefined],
  ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', undefined],
  ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", undefined],
  ['the request exceeds the available context size (4096 tokens), try increasing it', undefined],
  ['Please reduce the length of the messages or completion.', undefined],
  ['Input is too long for requested model.', undefined],
  ['context_length_exceeded', undefined],
];

test.each(WORDS)('"%s" says that the context is too short', (words, told) => {
  expect(isContextTooLong(words)).toBe(true);
  expect(promptTooLong(words)).toContain(told ?? 'prompt is too long');
  expect(promptTooLong(words)).toContain(words);
});

test.each([
  "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 150 instead.",
  'max_tokens is too large: 64000. This model supports at most 8192 completion tokens.',
  'Invalid `signature` in `thinking` block',
  'The context of this conversation could not be found.',
  'tools.0.custom.name: String should have at most 64 characters',
])('"%s" says something else', (words) => {
  expect(isContextTooLong(words)).toBe(false);
});

test('agents of each vendor read what they act on', () => {
  const error = relayError('context_too_long', 'The input token count (9) exceeds the maximum (8).');
  const bodies = Object.fromEntries(
    CLIENT_PROTOCOLS.map((protocol) => [
      protocol,
      JSON.parse(renderError(protocol, error, 'r').body) as object,
    ]),
  );
  expect(bodies['openai-chat']).toMatchObject({ error: { code: 'context_length_exceeded' } });
  expect(bodies['openai-responses']).toMatchObject({ error: { code: 'context_length_exceeded' } });
  expect(bodies['anthropic-messages']).toMatchObject({
    error: {
      type: 'invalid_request_error',
      message: expect.stringContaining('prompt is too long') as string,
    },
  });
  expect(bodies['gemini']).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
});
