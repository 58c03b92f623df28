import { readdirSync, readFileSync } from 'node:fs';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { decodeRequest, type UpstreamAction } from './index.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const messages = { ...chat, max_tokens: 5 };
const responses = { model: 'm', input: 'hi' };
const generate = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const good = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  gemini: generate,
} as const;
const protocols = Object.keys(good) as ClientProtocol[];

const decode = (protocol: ClientProtocol, body: unknown, action?: UpstreamAction) =>
  decodeRequest(protocol, Buffer.from(JSON.stringify(body)), { pathModel: 'path-model', action });

function refusal(decoded: ReturnType<typeof decodeRequest>) {
  if (decoded.ok) throw new Error('the request was taken');
  return decoded.error;
}

/** A change to a good body, the path that the refusal must name and its words. */
type Row = [what: string, change: Record<string, unknown>, param: string, words: string];

const model: Row[] = [
  ['model is missing', { model: undefined }, 'model', 'is required'],
  ['model is null', { model: null }, 'model', 'is required'],
  ['model is a number', { model: 5 }, 'model', 'must be a string'],
  ['model is empty', { model: '' }, 'model', 'must not be empty'],
  ['model is white space', { model: '  ' }, 'model', 'must not be empty'],
];

const stream: Row[] = [
  ['stream is a string', { stream: 'true' }, 'stream', 'must be true or false'],
  ['stream is a number', { stream: 1 }, 'stream', 'must be true or false'],
];

const limit = (field: string): Row[] => [
  [`${field} is 0`, { [field]: 0 }, field, 'must be at least 1'],
  [`${field} is -1`, { [field]: -1 }, field, 'must be at least 1'],
  [`${field} is 1.5`, { [field]: 1.5 }, field, 'must be an integer'],
  [`${field} is "5"`, { [field]: '5' }, field, 'must be an integer'],
];

const chatMessages: Row[] = [
  ['messages is missing', { messages: undefined }, 'messages', 'is required'],
  ['messages is a string', { messages: 'hi' }, 'messages', 'must be an array'],
  ['messages is an object', { messages: {} }, 'messages', 'must be an array'],
  ['messages is empty', { messages: [] }, 'messages', 'must not be empty'],
  ['ChatMessage is a string', { messages: ['hi'] }, 'messages[0]', ''],
  ['ChatMessage.role is missing', { messages: [{ content: 'hi' }] }, 'messages[0].role', 'must be one of'],
  ['ChatMessage.role is a number', { messages: [{ role: 1, content: '' }] }, 'messages[0].role', 'system'],
  [
    'ChatMessage.role of the second message is unknown',
    { messages: [chat.messages[0], { role: 'model', content: '' }] },
    'messages[1].role',
    'must be one of system, developer, user, assistant, tool',
  ],
  ['ChatMessage.content is missing', { messages: [{ role: 'user' }] }, 'messages[0].content', 'is required'],
];

const contents: Row[] = [
  ['contents is missing', { contents: undefined }, 'contents', 'is required'],
  ['contents is an object', { contents: {} }, 'contents', 'must be an array'],
  ['contents is empty', { contents: [] }, 'contents', 'must not be empty'],
  ['GeminiContent.parts is missing', { contents: [{ role: 'user' }] }, 'contents[0].parts', 'is required'],
  ['GeminiContent.parts is a string', { contents: [{ parts: 'hi' }] }, 'contents[0].parts', 'an array'],
  ['GeminiContent.role is unknown', { contents: [{ role: 'x', parts: [] }] }, 'contents[0].role', 'must be'],
  [
    'GeminiPart.text is a number',
    { contents: [{ parts: [{ text: 1 }] }] },
    'contents[0].parts[0].text',
    'a string',
  ],
  ['generationConfig is a list', { generationConfig: [] }, 'generationConfig', 'must be an object'],
  ...limit('maxOutputTokens').map(([what, config, field, words]): Row => [
    what,
    { generationConfig: config },
    `generationConfig.${field}`,
    words,
  ]),
];

const rows: Record<ClientProtocol, Row[]> = {
  'openai-chat': [
    ...model,
    ...chatMessages,
    ...stream,
    ...limit('max_tokens'),
    ...limit('max_completion_tokens'),
    [
      'include_usage is a string',
      { stream_options: { include_usage: 'y' } },
      'stream_options.include_usage',
      '',
    ],
  ],
  'openai-responses': [
    ...model,
    ['input is missing', { input: undefined }, 'input', 'is required'],
    ['input is a number', { input: 5 }, 'input', 'is required'],
    ...stream,
    ...limit('max_output_tokens'),
  ],
  'anthropic-messages': [
    ...model,
    ['max_tokens is missing', { max_tokens: undefined }, 'max_tokens', 'is required'],
    ['max_tokens is null', { max_tokens: null }, 'max_tokens', 'is required'],
    ...limit('max_tokens'),
    ...chatMessages,
    ...stream,
  ],
  gemini: contents,
};

describe.each(protocols)('%s refuses a body whose', (protocol) => {
  test.each(rows[protocol])('%s', (_, change, param, words) => {
    const error = refusal(decode(protocol, { ...good[protocol], ...change }));
    expect(error).toMatchObject({ kind: 'invalid_request', param });
    expect(error.message.startsWith(`${param}: `)).toBe(true);
    expect(error.message).toContain(words);
  });
});

describe.each(protocols)('%s refuses', (protocol) => {
  test.each([
    ['an empty body', '', 'it is empty'],
    ['broken JSON', '{"model":', 'not valid JSON'],
    ['text behind the object', '{} {}', 'not valid JSON'],
    ['an array', '[{"model":"m"}]', 'must be a JSON object'],
    ['a string', '"model"', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
  ])('%s', (_, body, words) => {
    const error = refusal(decodeRequest(protocol, Buffer.from(body), { pathModel: 'path-model' }));
    expect(error).toMatchObject({ kind: 'invalid_request', param: null });
    expect(error.message).toContain(words);
  });
});

describe.each(protocols)('%s takes', (protocol) => {
  test('unknown fields at every depth', () => {
    const inner = { unheard_of: [1] };
    const body = {
      ...good[protocol],
      ...inner,
      messages: [{ ...chat.messages[0], ...inner }],
      generationConfig: inner,
    };
    expect(decode(protocol, body)).toMatchObject({ ok: true, body });
  });

  test('null for what is not required', () => {
    const nothing = {
      stream: null,
      max_output_tokens: null,
      max_completion_tokens: null,
      generationConfig: null,
    };
    expect(decode(protocol, { ...good[protocol], ...nothing }).ok).toBe(true);
  });

  test('a limit of 1', () => {
    const limits = { max_tokens: 1, max_output_tokens: 1, generationConfig: { maxOutputTokens: 1 } };
    expect(decode(protocol, { ...good[protocol], ...limits })).toMatchObject({
      request: { output: { limit: 1 } },
    });
  });
});

test.each([
  ['system', 'developer', 'user', 'assistant', 'tool', 'function'].map((role) => ({ role, content: '' })),
  [
    { role: 'user', content: null },
    { role: 'assistant', tool_calls: [] },
    { role: 'user', content: [{ type: 'x' }] },
  ],
])('messages of every role and shape of content are taken', (...list) => {
  expect(decode('openai-chat', { model: 'm', messages: list }).ok).toBe(true);
});

test.each([
  ['a text', 'hi'],
  ['an empty text', ''],
  ['a list', []],
  ['one item', { role: 'user' }],
])('input may be %s', (_, input) => expect(decode('openai-responses', { model: 'm', input }).ok).toBe(true));

test('max_completion_tokens and the older max_tokens say the same, or the request is refused', () => {
  expect(decode('openai-chat', { ...chat, max_tokens: 7, max_completion_tokens: 7 })).toMatchObject({
    request: { output: { limit: 7 } },
  });
  expect(refusal(decode('openai-chat', { ...chat, max_tokens: 5, max_completion_tokens: 7 })).param).toBe(
    'max_tokens',
  );
});

describe('the model of a path', () => {
  test.each([
    ['is missing', undefined],
    ['is white space', ' '],
    ['is too long', 'm'.repeat(257)],
  ])('is refused when it %s', (_, pathModel) => {
    const error = refusal(decodeRequest('gemini', Buffer.from(JSON.stringify(generate)), { pathModel }));
    expect(error).toMatchObject({ kind: 'invalid_request', param: 'model' });
    expect(error.message).toMatch(/^model: /);
  });

  test.each([' m', 'm '])('is read without the space around it: "%s"', (pathModel) => {
    expect(decodeRequest('gemini', Buffer.from(JSON.stringify(generate)), { pathModel })).toMatchObject({
      request: { model: 'm' },
    });
  });

  test('counts, not one in the body', () => {
    expect(decode('gemini', { ...generate, model: 'other' })).toMatchObject({
      request: { model: 'path-model' },
    });
  });
});

describe('a count request', () => {
  test('of Messages needs no max_tokens and never streams', () => {
    expect(decode('anthropic-messages', { ...chat, stream: true }, 'count')).toMatchObject({
      request: { stream: false, output: { limit: null } },
    });
  });

  test('of Gemini may hold a whole generate request', () => {
    expect(decode('gemini', { generateContentRequest: generate }, 'count').ok).toBe(true);
    expect(decode('gemini', generate, 'count').ok).toBe(true);
    expect(refusal(decode('gemini', {}, 'count')).message).toContain('contents is required');
  });
});

test.each(['generate', 'stream'] as const)('the path says whether Gemini streams: %s', (action) => {
  expect(decode('gemini', generate, action)).toMatchObject({ request: { stream: action === 'stream' } });
});

const folder = new URL('./golden/requests/', import.meta.url);
const known: Record<string, object> = {
  'anthropic-messages-agent-older.json': {
    model: 'claude-sonnet-5',
    stream: true,
    output: { limit: 64_000 },
  },
  'anthropic-messages-agent.json': { model: 'claude-opus-5-5', stream: true, output: { limit: 128_000 } },
  'gemini-tool-roundtrip.json': { model: 'path-model', stream: true, output: { limit: null } },
  'openai-chat-tool-roundtrip.json': { model: 'gpt-4.1', output: { limit: 512 }, includeUsage: true },
  'openai-responses-additional-tools.json': { model: 'gpt-5.6-sol', stream: true, output: { limit: null } },
  'openai-responses-tool-roundtrip.json': { model: 'relay-model', stream: true, output: { limit: null } },
};

test.each(readdirSync(folder))('a real client body decodes: %s', (name) => {
  const protocol = protocols.find((candidate) => name.startsWith(candidate));
  if (protocol === undefined) throw new Error('the file is named after no protocol');
  const decoded = decodeRequest(protocol, readFileSync(new URL(name, folder)), {
    pathModel: 'path-model',
    action: 'stream',
  });
  expect(decoded).toMatchObject({ ok: true, request: known[name] });
});
