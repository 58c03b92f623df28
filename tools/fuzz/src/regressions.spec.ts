import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { checkAnswer, checkStream, type RequestOptions } from './properties.ts';
import { type Failure, type StackCheck, STACK_MB } from './small-stack.ts';
import { frame } from './streams.ts';

const OPTIONS: RequestOptions = {
  stream: false,
  strict: false,
  count: false,
  includeUsage: true,
  framing: 'sse',
};

/** More than a call takes as arguments before a stack of `STACK_MB` is full. */
const MANY = 40_000;
const many = <T>(value: T): T[] => Array.from({ length: MANY }, () => value);

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const said = { role: 'user', parts: [{ text: 'Hello' }] };
const word = { type: 'text', text: 'a' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

const REQUESTS: readonly (readonly [what: string, from: ClientProtocol, body: unknown])[] = [
  [
    'allows a function whose name is no text',
    'gemini',
    {
      contents: [said],
      tools: [{ functionDeclarations: [{ name: 'find' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [true, null, 'find'] } },
    },
  ],
  [
    'wants a modality that cannot become a text',
    'gemini',
    { contents: [said], generationConfig: { responseModalities: [{ toString: '' }] } },
  ],
  [
    'has more images in one result than a call takes arguments',
    'anthropic-messages',
    {
      model: 'm',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: many(image) }] },
      ],
    },
  ],
  [
    'has more parts in one assistant message than a call takes arguments',
    'openai-responses',
    {
      model: 'm',
      input: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: many({ type: 'output_text', text: 'a' }) },
      ],
    },
  ],
  [
    'has more parts in one system message than a call takes arguments',
    'openai-responses',
    {
      model: 'm',
      input: [
        { role: 'system', content: many({ type: 'input_text', text: 'a' }) },
        { role: 'user', content: 'Hello' },
      ],
    },
  ],
  [
    'has more messages of one side in a row than can be merged pair by pair',
    'anthropic-messages',
    { model: 'm', max_tokens: 10, messages: many({ role: 'user', content: [word] }) },
  ],
  [
    'has more calls without an id than can be searched for each result',
    'gemini',
    {
      contents: [
        said,
        { role: 'model', parts: many({ functionCall: { name: 'find', args: {} } }) },
        { role: 'user', parts: many({ functionResponse: { name: 'find', response: {} } }) },
      ],
    },
  ],
];

let thread: Worker;
beforeAll(() => {
  thread = new Worker(new URL('small-stack.ts', import.meta.url), {
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: 256 },
  });
});
afterAll(() => thread.terminate());

test('more items than a call takes as arguments are many', async () => {
  const program = `new Array().push(...Array.from({ length: ${MANY} }))`;
  const calling = new Worker(program, { eval: true, resourceLimits: { stackSizeMb: STACK_MB } });
  const [error] = (await once(calling, 'exit').catch((cause: unknown) => [cause])) as unknown[];
  expect(String(error)).toBe('RangeError: Maximum call stack size exceeded');
});

test.each(
  REQUESTS.flatMap(([what, from, body]) =>
    CLIENT_PROTOCOLS.map((to) => [from, to, what, bytesOf(body)] as const),
  ),
)('a request of %s to %s is converted or refused when it %s', async (from, to, _what, bytes) => {
  thread.postMessage({ from, to, bytes, options: OPTIONS } satisfies StackCheck);
  const [failure] = (await once(thread, 'message')) as [Failure];
  expect(failure).toBeUndefined();
});

/** Names that every JavaScript object has. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

const stopped = (word: string): readonly (readonly [ClientProtocol, unknown])[] => [
  ['openai-chat', { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: word }] }],
  ['openai-responses', { status: 'incomplete', output: [], incomplete_details: { reason: word } }],
  ['anthropic-messages', { content: [{ type: 'text', text: 'Hello' }], stop_reason: word }],
  ['gemini', { candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: word }] }],
];

test.each(
  INHERITED.flatMap((word) =>
    stopped(word).flatMap(([to, body]) =>
      CLIENT_PROTOCOLS.map((from) => [to, from, word, bytesOf(body)] as const),
    ),
  ),
)('an answer of %s to %s is valid there when the model stopped for "%s"', (to, from, _word, bytes) => {
  checkAnswer(from, to, bytes, OPTIONS);
});

test.each(CLIENT_PROTOCOLS)('a stream to %s is valid when a number of an item is an object', (from) => {
  const delta = {
    type: 'response.output_text.delta',
    output_index: { toString: '' },
    content_index: { valueOf: 1, toString: 2 },
    delta: 'Hello',
  };
  const bytes = frame('sse', [JSON.stringify(delta)]);
  checkStream(from, 'openai-responses', { framing: 'sse', bytes, cuts: [10] }, OPTIONS);
});

test.each(CLIENT_PROTOCOLS)(
  'a stream to %s is valid when a thought has a source and a text a signature',
  (from) => {
    const start = (index: number, content_block: object) => ({
      type: 'content_block_start',
      index,
      content_block,
    });
    const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
    const source = { type: 'citations_delta', citation: { url: 'https://example.com' } };
    const events = [
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      piece(0, source),
      piece(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      { type: 'content_block_stop', index: 0 },
      start(1, { type: 'text', text: '' }),
      piece(1, { type: 'signature_delta', signature: 'c2ln' }),
      piece(1, { type: 'text_delta', text: 'Hello' }),
      { type: 'content_block_stop', index: 1 },
      start(2, { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }),
      piece(2, source),
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ];
    const bytes = frame(
      'sse',
      events.map((event) => JSON.stringify(event)),
    );
    checkStream(from, 'anthropic-messages', { framing: 'sse', bytes, cuts: [] }, OPTIONS);
  },
);
