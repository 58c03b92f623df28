import { relayError, renderStreamError } from '../index.ts';

const error = relayError('upstream_error', 'It broke.');
const read = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .split('\n\n')
    .slice(0, -1)
    .map((record) => {
      const match = /^(?:event: (.+)\n)?data: (.+)$/.exec(record);
      return { event: match?.[1], data: JSON.parse(match?.[2] ?? '') as Record<string, unknown> };
    });

test('Chat clients read an error object', () => {
  expect(read(renderStreamError('openai-chat', 'sse', error, { id: 'c' }))).toEqual([
    {
      event: undefined,
      data: { error: { message: 'It broke.', type: 'upstream_error', param: null, code: 'upstream_error' } },
    },
  ]);
});

test('Anthropic clients read an error event', () => {
  const [record, ...more] = read(renderStreamError('anthropic-messages', 'sse', error, undefined));
  expect(more).toEqual([]);
  expect(record).toMatchObject({
    event: 'error',
    data: { type: 'error', error: { type: 'api_error', message: 'It broke.' } },
  });
  expect(record?.data).not.toHaveProperty('request_id');
});

test('Gemini clients read an error object in a record of its own', () => {
  expect(read(renderStreamError('gemini', 'sse', error, undefined))).toMatchObject([
    { event: undefined, data: { error: { code: 502, message: 'It broke.', status: 'INTERNAL' } } },
  ]);
});

test.each([
  ['one that broke before its first element', '', undefined, 1],
  ['one that broke behind an element', '[{"a":1}', { a: 1 }, 2],
])('an array is closed: %s', (_, sent, last, length) => {
  const whole = JSON.parse(
    sent + renderStreamError('gemini', 'json-array', error, last).toString(),
  ) as object[];
  expect(whole).toHaveLength(length);
  expect(whole.at(-1)).toMatchObject({ error: { code: 502 } });
});

test('Responses clients read an error and a failed response that continue the sequence', () => {
  const last = { type: 'response.created', sequence_number: 7, response: { id: 'resp_9' } };
  expect(read(renderStreamError('openai-responses', 'sse', error, last))).toMatchObject([
    {
      event: 'error',
      data: { type: 'error', sequence_number: 8, code: 'server_error', message: 'It broke.' },
    },
    {
      event: 'response.failed',
      data: {
        type: 'response.failed',
        sequence_number: 9,
        response: { id: 'resp_9', status: 'failed', error: { message: 'It broke.' } },
      },
    },
  ]);
});

test.each([undefined, 'text', { sequence_number: 'x' }])(
  'Responses clients read a sequence from zero when the last event was %p',
  (last) => {
    const numbers = read(renderStreamError('openai-responses', 'sse', error, last)).map(
      ({ data }) => data['sequence_number'],
    );
    expect(numbers).toEqual([0, 1]);
  },
);
