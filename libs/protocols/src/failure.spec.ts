import { type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import { failureError } from './failure.ts';
import { CODECS } from './index.ts';

/** What upstreams say in answers of 200, whole or as an event, and the status that says the same. */
const said: [Protocol, what: string, value: unknown, status: number, message: string | undefined][] = [
  [
    'openai-chat',
    'a router',
    { error: { message: 'Provider returned error', code: 502 } },
    502,
    'Provider returned error',
  ],
  [
    'openai-chat',
    'a router at its limit',
    { error: { message: 'Slow down', code: '429' } },
    429,
    'Slow down',
  ],
  ['openai-chat', 'a text', { error: 'Overloaded' }, 500, 'Overloaded'],
  [
    'openai-chat',
    'an error on the choice',
    { choices: [{ delta: {}, finish_reason: 'error', error: { code: 503, message: 'Gone' } }] },
    503,
    'Gone',
  ],
  [
    'openai-responses',
    'the flat event',
    { type: 'error', code: 'rate_limit_exceeded', message: 'Slow' },
    429,
    'Slow',
  ],
  ['openai-responses', 'the nested event', { type: 'error', error: { message: 'Lost' } }, 500, 'Lost'],
  [
    'openai-responses',
    'a failed response at the end of a stream',
    {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', message: 'Lost' } },
    },
    500,
    'Lost',
  ],
  [
    'openai-responses',
    'a failed response',
    { object: 'response', status: 'failed', error: { code: 'context_length_exceeded', message: 'Too much' } },
    400,
    'Too much',
  ],
  [
    'openai-responses',
    'a response that was cancelled',
    { object: 'response', status: 'cancelled' },
    500,
    undefined,
  ],
  [
    'anthropic-messages',
    'an overload',
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    529,
    'Overloaded',
  ],
  ['anthropic-messages', 'an envelope of another format', { error: { message: 'Lost' } }, 500, 'Lost'],
  ['gemini', 'an error', { error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } }, 503, 'Busy'],
  [
    'gemini',
    'an error in a list',
    [{ error: { status: 'RESOURCE_EXHAUSTED', message: 'Quota' } }],
    429,
    'Quota',
  ],
];

test.each(said)('%s: %s', (protocol, _, value, status, message) => {
  const codec = CODECS[protocol];
  expect(codec.findFailure(value)).toEqual({ status, message });
  expect(codec.isFinal(value)).toBe(false);
  expect(codec.isPreamble(value)).toBe(false);
});

test.each<[Protocol, unknown]>([
  ['openai-chat', { error: null, choices: [{ error: null, delta: {} }] }],
  ['openai-responses', { object: 'response', status: 'completed', error: null }],
  ['openai-responses', { object: 'response', status: 'incomplete', error: null }],
  ['openai-responses', { type: 'response.output_item.done', item: { type: 'mcp_call', error: { code: 1 } } }],
  ['anthropic-messages', { type: 'message', content: [], error: { type: 'x' } }],
  ['gemini', { candidates: [] }],
])('%s: %j says nothing of a failure', (protocol, value) => {
  expect(CODECS[protocol].findFailure(value)).toBeUndefined();
});

test.each(PROTOCOLS)('%s: nothing that is no object is a failure', (protocol) => {
  for (const value of [null, undefined, 1, 'error', [], true])
    expect(CODECS[protocol].findFailure(value)).toBeUndefined();
});

test.each([
  [400, 'invalid_request'],
  [429, 'upstream_rate_limited'],
  [500, 'upstream_error'],
  [502, 'upstream_error'],
  [529, 'upstream_unavailable'],
])('a failure of %i is told as %s', (status, kind) => {
  expect(failureError({ status, message: 'Words.' })).toMatchObject({ kind, message: 'Words.' });
});
