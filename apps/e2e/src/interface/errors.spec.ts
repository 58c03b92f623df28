import { request as httpRequest } from 'node:http';
import { waitFor } from '@tollgate/harness';
import { call, GOOD, type Json, type Style, STYLES } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { makeOwnPool, ownName, putUpstream } from '../pools/own-pool.ts';

const at = sharedStack();
const send = (style: Style, body: unknown, headers: Record<string, string> = {}) =>
  call(`${at.baseUrl}${GOOD[style].path}`, {
    headers: { authorization: `Bearer ${at.apiKey}`, ...headers },
    body,
  });

/** The envelope that the caller's SDK reads, a superset of `{error: {message, type}}`. */
function expectEnvelope(style: Style, status: number, json: Json | undefined): void {
  expect(json?.['error']).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  if (style === 'messages')
    expect(json).toMatchObject({ type: 'error', request_id: expect.stringMatching(/^req_/) });
  else if (style === 'gemini')
    expect(json?.['error']).toMatchObject({ code: status, status: expect.any(String) });
  else expect(Object.keys(json?.['error'] ?? {}).sort()).toEqual(['code', 'message', 'param', 'type']);
}

const inText = (style: Style, script: object): object => {
  const text = `[[sim ${JSON.stringify(script)}]]`;
  if (style === 'responses') return { ...GOOD.responses.body, input: text };
  if (style === 'gemini') return { contents: [{ parts: [{ text }] }] };
  return { ...GOOD[style].body, messages: [{ role: 'user', content: text }] };
};

describe.each(STYLES)('%s: 400', (style) => {
  test.each([
    ['bad JSON', '{"model": '],
    ['an empty body', ''],
    ['JSON that is no object', '[1,2]'],
  ])('%s', async (_case, body) => {
    const { status, json, headers } = await send(style, body);
    expect(status).toBe(400);
    expectEnvelope(style, status, json);
    expect(json?.['error']?.['message']).toMatch(/request body/);
    expect(headers.get('x-should-retry')).toBe('false');
  });

  test('the wrong content type is named', async () => {
    const { status, json } = await send(style, JSON.stringify(GOOD[style].body), {
      'content-type': 'text/plain',
    });
    expect(status).toBe(400);
    expectEnvelope(style, status, json);
    expect(json?.['error']?.['message']).toContain('Content-Type');
  });

  test('a body that the upstream refuses comes back in the upstream’s words', async () => {
    const { status, json } = await send(style, inText(style, { status: 400 }));
    expect(status).toBe(400);
    expect(json?.['error']?.['message']).toContain('told to fail with 400');
  });
});

test.each(STYLES)('%s: 413 for a body over the limit, without reading it', async (style) => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const url = new URL(`${at.baseUrl}${GOOD[style].path}`);
    const request = httpRequest(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${at.apiKey}`,
        'content-type': 'application/json',
        'content-length': String(64 * 1024 * 1024),
      },
    });
    request.on('response', (answer) => {
      resolve(answer.statusCode);
      request.destroy();
    });
    request.on('error', reject);
    request.flushHeaders();
  });
  expect(status).toBe(413);
});

test('400: an invalid model ID', async () => {
  for (const style of ['chat', 'responses', 'messages'] as const) {
    const { status, json } = await send(style, { ...GOOD[style].body, model: 'no-such-model' });
    expect(status).toBe(400);
    expectEnvelope(style, status, json);
    expect(json?.['error']?.['message']).toContain('no-such-model');
  }
});

test('400: an invalid group', async () => {
  await admin(at, 'PUT', '/api/catalogue/groups/short-lived', { ratio: '1', models: ['*'] });
  const { key } = await makeKey(at, { group: 'short-lived' });
  await admin(at, 'DELETE', '/api/catalogue/groups/short-lived');
  const refused = await waitFor(async () => {
    const answer = await send('chat', GOOD.chat.body, { authorization: `Bearer ${key}` });
    return answer.status !== 200 && answer;
  }, 'the end of the group');
  expect([refused.status, refused.json?.['error']?.['code']]).toEqual([400, 'invalid_group']);
});

test('400: a compressed body is an unsupported request', async () => {
  const { status, json } = await send('chat', 'x', { 'content-encoding': 'gzip' });
  expect([status, json?.['error']?.['param']]).toEqual([400, 'content-encoding']);
});

describe.each(STYLES)('%s: what an upstream does wrong', (style) => {
  test.each([
    ['its own limit is 429 with the time to wait', { status: 429, retry_after_s: 7 }, 429],
    ['a failure is 502', { status: 500 }, 502],
    ['a refused credential is 502, not the caller’s 401', { status: 401 }, 502],
    ['an overload is 503', { status: 503 }, 503],
    ['a connection that is cut is 502', { cut_before_headers: true }, 502],
  ])('%s', async (_case, script, expected) => {
    // A credential that is limited or refused is not used again: each case has its own.
    const name = ownName('failing');
    const upstream = await putUpstream(at, name, at.simulatorUrl, [`${name}-credential`]);
    const { model, key } = await makeOwnPool(at, { members: [{ upstream }] });
    const path = GOOD[style].path.replace('sim-gemini', model);
    const asked = inText(style, script);
    const { status, json, headers } = await call(`${at.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: style === 'gemini' ? asked : { ...asked, model },
    });
    expect(status).toBe(expected);
    expectEnvelope(style, status, json);
    expect(headers.get('x-should-retry')).toBeNull();
    if (status === 429)
      expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['7', '7000']);
    expect(json?.['error']?.['message']).not.toMatch(/127\.0\.0\.1|simulator|failing/);
  });
});
