import { get } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { call, GOOD, STYLES } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';

const at = sharedStack();
const bearer = { authorization: `Bearer ${at.apiKey}` };

describe('the routes of the interface', () => {
  test('GET /api/status needs no key and answers a JSON object', async () => {
    const { status, json } = await call(`${at.baseUrl}/api/status`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ success: true, data: { system_name: 'Tollgate' } });
  });

  test('GET /api/pricing needs no key', async () => {
    const { status, json } = await call(`${at.baseUrl}/api/pricing`);
    expect(status).toBe(200);
    expect(json?.['success']).toBe(true);
  });

  test('GET /v1/models takes a bearer key', async () => {
    const { status, json } = await call(`${at.baseUrl}/v1/models`, { headers: bearer });
    expect(status).toBe(200);
    expect(json?.['object']).toBe('list');
  });

  test('POST /v1/chat/completions', async () => {
    const { json } = await call(`${at.baseUrl}${GOOD.chat.path}`, { headers: bearer, body: GOOD.chat.body });
    expect(json).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Echo: Hello' } }],
    });
  });

  test('POST /v1/responses', async () => {
    const { json } = await call(`${at.baseUrl}${GOOD.responses.path}`, {
      headers: bearer,
      body: GOOD.responses.body,
    });
    expect(json).toMatchObject({ object: 'response', status: 'completed' });
  });

  test('POST /v1/messages', async () => {
    const { json } = await call(`${at.baseUrl}${GOOD.messages.path}`, {
      headers: { 'x-api-key': at.apiKey, 'anthropic-version': '2023-06-01' },
      body: GOOD.messages.body,
    });
    expect(json).toMatchObject({ type: 'message', content: [{ text: 'Echo: Hello' }] });
  });

  test('POST /v1beta/models/{model}:generateContent', async () => {
    const { json } = await call(`${at.baseUrl}${GOOD.gemini.path}`, {
      headers: { 'x-goog-api-key': at.apiKey },
      body: GOOD.gemini.body,
    });
    expect(json).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Echo: Hello' }] } }] });
  });
});

describe('what clients call beside them', () => {
  test.each([
    [
      'POST /v1beta/models/{model}:streamGenerateContent?alt=sse',
      '?alt=sse',
      /^data: \{/,
      'text/event-stream',
    ],
    ['POST /v1beta/models/{model}:streamGenerateContent as a JSON array', '', /^\[\{/, 'application/json'],
  ])('%s', async (_name, query, start, type) => {
    const { text, headers } = await call(
      `${at.baseUrl}/v1beta/models/sim-gemini:streamGenerateContent${query}`,
      { headers: { 'x-goog-api-key': at.apiKey }, body: GOOD.gemini.body },
    );
    expect(text).toMatch(start);
    expect(headers.get('content-type')).toContain(type);
  });

  test.each(['v1', 'v1beta'])('POST /%s/models/{model}:countTokens', async (version) => {
    const { json } = await call(`${at.baseUrl}/${version}/models/sim-gemini:countTokens`, {
      headers: { 'x-goog-api-key': at.apiKey },
      body: GOOD.gemini.body,
    });
    expect(json).toMatchObject({ totalTokens: 1 });
  });

  test('POST /v1/messages/count_tokens', async () => {
    const { max_tokens, ...body } = GOOD.messages.body;
    const { json } = await call(`${at.baseUrl}/v1/messages/count_tokens`, { headers: bearer, body });
    expect([json, max_tokens]).toEqual([{ input_tokens: 1 }, 20]);
  });

  test('POST /v1/models/{model}:generateContent, as newer Gemini clients do', async () => {
    const { status } = await call(`${at.baseUrl}/v1/models/sim-gemini:generateContent`, {
      headers: { 'x-goog-api-key': at.apiKey },
      body: GOOD.gemini.body,
    });
    expect(status).toBe(200);
  });

  test('POST /v1/messages?beta=true', async () => {
    const { status } = await call(`${at.baseUrl}/v1/messages?beta=true`, {
      headers: bearer,
      body: GOOD.messages.body,
    });
    expect(status).toBe(200);
  });

  test.each(['/v1/chat/completions', '/v1/messages'])(
    'GET %s for a WebSocket answers 426, on which clients that know both go on with POST',
    async (path) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const { status, text } = await new Promise<{ status: number | undefined; text: string }>(
        (resolve, reject) => {
          const headers = { ...bearer, ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
          get(`${at.baseUrl}${path}`, { headers, agent: false }, (answer) => {
            void readText(answer).then((text) => resolve({ status: answer.statusCode, text }), reject);
          }).on('error', reject);
        },
      );
      expect(status).toBe(426);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'websocket_not_served' } });
    },
  );

  test('HEAD /api/hello', async () => {
    expect((await call(`${at.baseUrl}/api/hello`, { method: 'HEAD' })).status).toBe(200);
  });

  test('GET /openapi.json needs no key and describes the routes above', async () => {
    const { status, json, headers } = await call(`${at.baseUrl}/openapi.json`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toMatchObject({ openapi: '3.1.0', info: { title: 'Tollgate relay' } });
    const paths = Object.keys(json?.['paths'] ?? {});
    expect(paths).toEqual(expect.arrayContaining(['/api/status', '/api/pricing', '/v1/models']));
    for (const { path } of Object.values(GOOD))
      expect(paths).toContain(path.replace(/(?<=models\/)[^:]+/, '{model}'));
  });

  test.each([
    ['OpenAI', '/v1/models', bearer, { object: 'list' }],
    [
      'Anthropic by its version header',
      '/v1/models',
      { ...bearer, 'anthropic-version': '2026-10-21' },
      { has_more: false },
    ],
    [
      'Gemini by its key header',
      '/v1/models',
      { 'x-goog-api-key': at.apiKey },
      { models: expect.any(Array) },
    ],
    ['Gemini by ?key=', `/v1/models?key=${at.apiKey}`, {}, { models: expect.any(Array) }],
    ['Gemini by its path', '/v1beta/models', bearer, { models: expect.any(Array) }],
  ])('the model list in the dialect of %s', async (_name, path, headers, shape) => {
    const { status, json } = await call(`${at.baseUrl}${path}`, {
      headers: headers as Record<string, string>,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject(shape);
  });

  test.each([
    ['/v1/models/sim-chat', bearer, { id: 'sim-chat', object: 'model' }],
    [
      '/v1/models/sim-chat',
      { ...bearer, 'anthropic-version': '2023-06-01' },
      { id: 'sim-chat', type: 'model' },
    ],
    ['/v1beta/models/sim-chat', { 'x-goog-api-key': at.apiKey }, { name: 'models/sim-chat' }],
  ])('GET %s of one model', async (path, headers, shape) => {
    expect((await call(`${at.baseUrl}${path}`, { headers })).json).toMatchObject(shape);
  });

  test('a model that the group may not see is not shown by its name either', async () => {
    const { status, json } = await call(`${at.baseUrl}/v1/models/sim-vip`, { headers: bearer });
    expect([status, json?.['error']?.['code']]).toEqual([400, 'model_not_found']);
  });
});

describe('paths that are no routes', () => {
  test.each([
    ['POST', '/v1/v1/messages'],
    ['POST', '/v1/v1/chat/completions'],
    ['POST', '/v1/v1beta/models/sim-gemini:generateContent'],
    ['POST', '/v1beta/v1beta/models/sim-gemini:generateContent'],
    ['POST', '/v1/models/sim-chat'],
    ['POST', '/v1beta/models/sim-gemini:fly'],
    ['POST', '/v1/nothing'],
    ['GET', '/v1/messages'],
    ['GET', '/v1/chat/completions'],
    ['DELETE', '/v1/chat/completions'],
    ['PUT', '/v1/responses'],
    ['GET', '/v1'],
    ['GET', '/api/nothing'],
    ['POST', '/responses'],
    ['GET', '/v1/%zz'],
  ])('%s %s is a JSON 404 before any key is asked for', async (method, path) => {
    const { status, json, headers } = await call(`${at.baseUrl}${path}`, {
      method,
      ...(method === 'POST' ? { body: {} } : {}),
    });
    expect(status).toBe(404);
    expect(json?.['error']?.['message']).toBe(`Invalid URL (${method} ${path})`);
    expect(typeof json?.['error']?.['type']).toBe('string');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test.each(['/', '/responses', '/messages', '/console/keys'])('GET %s is a web page', async (path) => {
    const { status, headers, text } = await call(`${at.baseUrl}${path}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).toContain('AI model relay');
  });
});

test.each(STYLES)('every answer of %s carries a request id in both headers', async (style) => {
  const { headers } = await call(`${at.baseUrl}${GOOD[style].path}`, {
    headers: bearer,
    body: GOOD[style].body,
  });
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
});
