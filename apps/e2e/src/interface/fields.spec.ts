import type { AnswerOf, publicPrices } from '@tollgate/api';
import { call, GOOD, type Style } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';

const at = sharedStack();
const send = (style: Style, body: object) =>
  call(`${at.baseUrl}${GOOD[style].path}`, { headers: { authorization: `Bearer ${at.apiKey}` }, body });

/** A good request with some fields changed; undefined takes a field away. */
const withFields = (style: Style, fields: object) => ({ ...GOOD[style].body, ...fields });

/** What of the error names the field: `param` where the envelope has one, else the message. */
const namedField = (style: Style, json: Awaited<ReturnType<typeof send>>['json']): string =>
  String(
    style === 'messages' || style === 'gemini' ? json?.['error']?.['message'] : json?.['error']?.['param'],
  );

const message = (fields: object) => ({ messages: [{ role: 'user', content: 'Hello', ...fields }] });
const USER = { role: 'user', content: 'Hello' };
const CALL = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
/** A conversation in which somebody says something; a tool does when it was called. */
const saidBy = (role: string) => ({
  messages:
    role === 'tool'
      ? [USER, { role: 'assistant', tool_calls: [CALL] }, { role, content: 'Rain', tool_call_id: 'c' }]
      : [{ role, content: 'Hello' }, USER],
});

describe('Model and ModelList', () => {
  test.each([
    ['ModelList.object is "list"', ['object'], 'list'],
    ['Model.id is a model identifier', ['data', '0', 'id'], 'sim-chat'],
    ['Model.object is "model"', ['data', '0', 'object'], 'model'],
    ['Model.owned_by is a string', ['data', '0', 'owned_by'], 'openai'],
  ])('%s', async (_row, path, expected) => {
    const { json } = await call(`${at.baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${at.apiKey}` },
    });
    expect(path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], json)).toBe(
      expected,
    );
  });

  test('ModelList.data holds only models visible to the key’s group', async () => {
    const { json } = await call(`${at.baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${at.apiKey}` },
    });
    const ids = (json?.['data'] as unknown as { id: string }[] | undefined)?.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['sim-chat', 'sim-responses', 'sim-claude', 'sim-gemini', 'sim-mapped']),
    );
    expect(ids).not.toContain('sim-vip');
  });
});

const ROWS: readonly (readonly [row: string, style: Style, fields: object, named: string])[] = [
  ['ChatMessage.role is required', 'chat', message({ role: undefined }), 'messages[0].role'],
  ['ChatMessage.role is one of five', 'chat', message({ role: 'wizard' }), 'messages[0].role'],
  ['ChatMessage.content is required', 'chat', message({ content: undefined }), 'messages[0].content'],
  ['ChatCompletionRequest.model is required', 'chat', { model: undefined }, 'model'],
  ['ChatCompletionRequest.model is a string', 'chat', { model: 7 }, 'model'],
  ['ChatCompletionRequest.model is not empty', 'chat', { model: '' }, 'model'],
  ['ChatCompletionRequest.messages is required', 'chat', { messages: undefined }, 'messages'],
  ['ChatCompletionRequest.messages is an array', 'chat', { messages: 'Hello' }, 'messages'],
  ['ChatCompletionRequest.messages holds messages', 'chat', { messages: ['Hello'] }, 'messages[0]'],
  ['ChatCompletionRequest.stream is a boolean', 'chat', { stream: 'yes' }, 'stream'],
  ['ChatCompletionRequest.max_tokens is at least 1', 'chat', { max_tokens: 0 }, 'max_tokens'],
  ['ChatCompletionRequest.max_tokens is an integer', 'chat', { max_tokens: 1.5 }, 'max_tokens'],
  ['ResponseRequest.model is required', 'responses', { model: undefined }, 'model'],
  ['ResponseRequest.input is required', 'responses', { input: undefined }, 'input'],
  ['ResponseRequest.stream is a boolean', 'responses', { stream: 1 }, 'stream'],
  [
    'ResponseRequest.max_output_tokens is at least 1',
    'responses',
    { max_output_tokens: 0 },
    'max_output_tokens',
  ],
  [
    'ResponseRequest.max_output_tokens is an integer',
    'responses',
    { max_output_tokens: '5' },
    'max_output_tokens',
  ],
  ['MessagesRequest.model is required', 'messages', { model: undefined }, 'model'],
  ['MessagesRequest.max_tokens is required', 'messages', { max_tokens: undefined }, 'max_tokens'],
  ['MessagesRequest.max_tokens is at least 1', 'messages', { max_tokens: 0 }, 'max_tokens'],
  ['MessagesRequest.max_tokens is an integer', 'messages', { max_tokens: 2.5 }, 'max_tokens'],
  ['MessagesRequest.messages is required', 'messages', { messages: undefined }, 'messages'],
  ['MessagesRequest.stream is a boolean', 'messages', { stream: 'true' }, 'stream'],
  ['GenerateContentRequest.contents is required', 'gemini', { contents: undefined }, 'contents'],
  ['GenerateContentRequest.contents is an array', 'gemini', { contents: 'Hello' }, 'contents'],
  [
    'GenerateContentRequest.generationConfig is an object',
    'gemini',
    { generationConfig: 5 },
    'generationConfig',
  ],
  [
    'GenerateContentRequest.generationConfig.maxOutputTokens is at least 1',
    'gemini',
    { generationConfig: { maxOutputTokens: 0 } },
    'generationConfig.maxOutputTokens',
  ],
  ['GeminiContent.parts is required', 'gemini', { contents: [{ role: 'user' }] }, 'contents[0].parts'],
  [
    'GeminiPart.text is a string',
    'gemini',
    { contents: [{ parts: [{ text: 5 }] }] },
    'contents[0].parts[0].text',
  ],
];

test.each(ROWS)('%s', async (_row, style, fields, named) => {
  const { status, json } = await send(style, withFields(style, fields));
  expect(status).toBe(400);
  expect(namedField(style, json)).toContain(named);
});

const ACCEPTED: readonly (readonly [row: string, style: Style, fields: object])[] = [
  ...['system', 'developer', 'user', 'assistant', 'tool'].map(
    (role) => [`ChatMessage.role may be ${role}`, 'chat', saidBy(role)] as const,
  ),
  ['ChatMessage.content may be structured', 'chat', message({ content: [{ type: 'text', text: 'Hello' }] })],
  ['ChatMessage may hold more', 'chat', message({ name: 'someone', mood: 'good' })],
  ['ChatCompletionRequest.stream may be left out or null', 'chat', { stream: null }],
  ['ChatCompletionRequest.max_tokens may be 1', 'chat', { max_tokens: 1 }],
  ['ChatCompletionRequest may hold more', 'chat', { temperature: 0.5, logit_bias: { 50256: -100 } }],
  ['ResponseRequest.input may be structured', 'responses', { input: [{ role: 'user', content: 'Hello' }] }],
  ['ResponseRequest may hold more', 'responses', { client_metadata: { deep: [1] } }],
  ['MessagesRequest.max_tokens may be 1', 'messages', { max_tokens: 1 }],
  ['MessagesRequest may hold more', 'messages', { diagnostics: { previous_message_id: null } }],
  [
    'GenerateContentRequest.generationConfig is free',
    'gemini',
    { generationConfig: { maxOutputTokens: 5, imageConfig: { aspectRatio: '1:1' } } },
  ],
  ['GeminiContent.role may be left out', 'gemini', { contents: [{ parts: [{ text: 'Hello' }] }] }],
  [
    'GeminiPart may hold more',
    'gemini',
    { contents: [{ parts: [{ text: 'Hello', partMetadata: { deep: [1] } }] }] },
  ],
];

test.each(ACCEPTED)('%s', async (_row, style, fields) => {
  expect((await send(style, withFields(style, fields))).status).toBe(200);
});

test('ResponseRequest.max_output_tokens may be 1 here; that the vendor wants 16 is its own word', async () => {
  const { status, json } = await send('responses', withFields('responses', { max_output_tokens: 1 }));
  expect(status).toBe(400);
  expect(json?.['error']?.['message']).toContain('Expected a value >= 16, but got 1');
});

describe('PublicPricingResponse', () => {
  test.each([
    ['success is true', 'success', 'boolean'],
    ['pricing_version is there', 'pricing_version', 'string'],
    ['group_ratio is an object', 'group_ratio', 'object'],
    ['supported_endpoint is there', 'supported_endpoint', 'object'],
    ['vendors is there', 'vendors', 'object'],
    ['usable_group is there', 'usable_group', 'object'],
    ['auto_groups is there', 'auto_groups', 'object'],
  ])('%s', async (_row, field, type) => {
    const { json } = await call(`${at.baseUrl}/api/pricing`);
    expect(typeof json?.[field]).toBe(type);
  });

  test('data is an array with an entry for each model', async () => {
    const { text } = await call(`${at.baseUrl}/api/pricing`);
    const { data } = JSON.parse(text) as AnswerOf<typeof publicPrices.listPrices>;
    expect(data.find(({ model_name }) => model_name === 'sim-chat')).toMatchObject({
      model_ratio: 1.25,
      completion_ratio: 4,
      quota_type: 0,
      enable_groups: expect.arrayContaining(['default', 'vip', 'restricted']),
    });
  });
});
