import { DEFAULT_SETTINGS, readSettings } from './parameters.ts';
import fc from 'fast-check';
import { type Answer, NO_ANSWER } from './formats/format.ts';
import { FORMATS } from './formats/formats.ts';
import type { FormatId } from './formats/format-id.ts';
import { readAnswers } from './read-stream.ts';

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array, void, void> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) {
    await Promise.resolve();
    yield bytes.subarray(start, start + size);
  }
}

async function read(id: FormatId, stream: string, size = 4_096): Promise<Answer> {
  let last = NO_ANSWER;
  for await (const answer of readAnswers(FORMATS[id], piecesOf(stream, size))) last = answer;
  return last;
}

const events = (...list: readonly object[]): string =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const typed = (...list: readonly { readonly type: string; readonly [field: string]: unknown }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const CHAT =
  events(
    { choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: 'Hm. ' } }] },
    { choices: [{ index: 0, delta: { content: 'Grüße, ' } }] },
    { choices: [{ index: 0, delta: { content: '世界' } }] },
    {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a"' } }] },
        },
      ],
    },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
    {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 1, id: 'c2', function: { name: 'g', arguments: '{}' } }] },
        },
      ],
    },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } },
  ) + ': keep-alive\n\ndata: [DONE]\n\n';

const RESPONSES = typed(
  { type: 'response.created', response: { status: 'in_progress' } },
  { type: 'response.reasoning_summary_text.delta', delta: 'Hm. ' },
  { type: 'response.output_item.done', item: { type: 'reasoning', id: 'r', encrypted_content: 'x' } },
  { type: 'response.output_text.delta', delta: 'Grüße, ' },
  { type: 'response.output_text.delta', delta: '世界' },
  {
    type: 'response.output_item.done',
    item: { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
  },
  {
    type: 'response.output_item.done',
    item: { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
  },
  {
    type: 'response.completed',
    response: { status: 'completed', usage: { input_tokens: 7, output_tokens: 9 } },
  },
);

const MESSAGES = typed(
  {
    type: 'message_start',
    message: {
      usage: {
        input_tokens: 4,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 1,
        output_tokens: 1,
      },
    },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm. ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'ping' },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüße, ' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '世界' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'c1', name: 'f', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ':1}' } },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'content_block_start',
    index: 3,
    content_block: { type: 'tool_use', id: 'c2', name: 'g', input: {} },
  },
  { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{}' } },
  { type: 'content_block_stop', index: 3 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
);

const parts = (...list: readonly object[]) => ({ candidates: [{ content: { role: 'model', parts: list } }] });
const GEMINI = events(
  parts({ text: 'Hm. ', thought: true }),
  parts({ text: 'Grüße, ' }),
  parts({ text: '世界' }),
  parts({ functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' }),
  parts({ functionCall: { id: 'c2', name: 'g', args: {} } }),
  {
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 6, thoughtsTokenCount: 3 },
  },
);

const STREAMS: readonly (readonly [FormatId, string, string])[] = [
  ['openai', CHAT, 'tool_calls'],
  ['openai-response', RESPONSES, 'completed'],
  ['anthropic', MESSAGES, 'tool_use'],
  ['gemini', GEMINI, 'STOP'],
];

test.each(STREAMS)(
  'a stream of %s is read: reasoning, text, calls, tokens and end',
  async (id, stream, finish) => {
    expect(await read(id, stream)).toMatchObject({
      reasoning: 'Hm. ',
      text: 'Grüße, 世界',
      calls: [
        { id: 'c1', name: 'f', args: '{"a":1}' },
        { id: 'c2', name: 'g', args: '{}' },
      ],
      tokens: { input: 7, output: 9 },
      finish,
      error: null,
    });
  },
);

test.each(STREAMS)('it does not matter where the bytes of a stream of %s are cut', async (id, stream) => {
  const whole = await read(id, stream);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.boolean(), async (size, isCrlf) => {
      expect(await read(id, isCrlf ? stream.replaceAll('\n', '\r\n') : stream, size)).toEqual(whole);
    }),
    { numRuns: 25 },
  );
});

test.each([
  ['openai-response', RESPONSES, [{ type: 'reasoning', id: 'r', encrypted_content: 'x' }]],
  [
    'anthropic',
    MESSAGES,
    [
      { type: 'thinking', thinking: 'Hm. ', signature: 'sig' },
      { type: 'text', text: 'Grüße, 世界' },
      { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
    ],
  ],
  [
    'gemini',
    GEMINI,
    [
      { text: 'Hm. ', thought: true },
      { text: 'Grüße, 世界' },
      { functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' },
    ],
  ],
] as const)('what %s wants back is kept with its signatures', async (id, stream, native) => {
  expect((await read(id, stream)).native.slice(0, native.length)).toEqual(native);
});

test.each([
  ['openai', events({ error: { message: 'The upstream broke off.', type: 'upstream_error' } })],
  ['openai-response', typed({ type: 'error', message: 'The upstream broke off.' })],
  [
    'openai-response',
    typed({ type: 'response.failed', response: { error: { message: 'The upstream broke off.' } } }),
  ],
  ['anthropic', typed({ type: 'error', error: { message: 'The upstream broke off.' } })],
  ['gemini', events({ error: { code: 503, message: 'The upstream broke off.' } })],
] as const)('an error in the midst of a stream of %s is told', async (id, stream) => {
  expect((await read(id, stream)).error).toBe('The upstream broke off.');
});

test('calls of Gemini that have no id are told apart, and answered without one', async () => {
  const stream = events(
    parts({ functionCall: { name: 'f' } }, { functionCall: { name: 'f', args: { b: 2 } } }),
  );
  const { calls } = await read('gemini', stream);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  const results = calls.map(({ id, name }) => ({ id, name, output: 'done' }));
  const ask = { model: 'm', ...readSettings(DEFAULT_SETTINGS) };
  expect(FORMATS.gemini.body({ ...ask, turns: [{ role: 'tool', results }] })).toMatchObject({
    contents: [{ parts: [{ functionResponse: { name: 'f', response: { output: 'done' } } }, {}] }],
  });
  expect(JSON.stringify(FORMATS.gemini.body({ ...ask, turns: [{ role: 'tool', results }] }))).not.toContain(
    '"id"',
  );
});

test.each(STREAMS)('nothing that comes in a stream of %s makes reading fail', async (id) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.object({ maxDepth: 4 }), { maxLength: 6 }), async (list) => {
      const kinds = [
        'content_block_delta',
        'content_block_stop',
        'response.output_item.done',
        'message_start',
      ];
      const text = events(...list, ...kinds.map((type) => ({ type })));
      expect(typeof (await read(id, `${text}data: {broken\n\ndata: 7\n\n`)).text).toBe('string');
    }),
    { numRuns: 40 },
  );
});
