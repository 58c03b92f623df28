import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { call, GOOD, type Style, STYLES } from './call.ts';
import { sharedStack } from './shared-stack.ts';

const at = sharedStack();

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request that reached the upstream with this mark in its body. */
const arrived = (mark: string): Promise<Recorded> =>
  waitFor(async () => {
    const answer = await fetch(`${at.simulatorUrl}/__sim/requests`);
    return ((await answer.json()) as Recorded[]).find(({ body }) => body.includes(mark));
  }, `the request ${mark} at the upstream`);

const PATHS: Readonly<Record<Style, string>> = {
  ...(Object.fromEntries(STYLES.map((style) => [style, GOOD[style].path])) as Record<Style, string>),
};

/** A tool of each style, around its schema, which is free at every vendor. */
const TOOLS: Readonly<Record<Style, (schema: string) => string>> = {
  chat: (schema) => `{"type":"function","function":{"name":"look","parameters":${schema}}}`,
  responses: (schema) => `{"type":"function","name":"look","parameters":${schema}}`,
  messages: (schema) => `{"name":"look","input_schema":${schema}}`,
  gemini: (schema) => `{"functionDeclarations":[{"name":"look","parametersJsonSchema":${schema}}]}`,
};

/** A good body with odd white space, an odd order of keys, and in a schema numbers that a parser would change. */
const oddBody = (style: Style, mark: string): string => {
  const text = JSON.stringify(GOOD[style].body).slice(1);
  const odd = `"x-odd" : {"mark":"${mark}","big":12345678901234567890,"tiny":1.0e-7} ,\n\t"é\\u00e9":[ ]`;
  return `{ "tools" :[ ${TOOLS[style](`{"type":"object",${odd}}`)} ],${text}`;
};

/** A body with a mark where each vendor takes one. */
const markedBody = (style: Style, mark: string) => {
  const marks = { messages: { metadata: { user_id: mark } }, gemini: { labels: { mark } } };
  return {
    ...GOOD[style].body,
    ...(style === 'chat' || style === 'responses' ? { user: mark } : marks[style]),
  };
};

describe.each(STYLES)('%s', (style) => {
  test('the request’s bytes reach the upstream untouched', async () => {
    const mark = randomUUID();
    const body = oddBody(style, mark);
    const { status } = await call(`${at.baseUrl}${PATHS[style]}`, {
      headers: { authorization: `Bearer ${at.apiKey}`, 'x-made-up': 'of nobody' },
      body,
    });
    expect(status).toBe(200);
    const request = await arrived(mark);
    expect(request.body).toBe(body);
    expect(request.url).toBe(PATHS[style]);
    expect(request.headers['x-made-up']).toBeUndefined();
  });

  test.each([false, true])('the answer’s bytes reach the caller untouched (stream: %s)', async (stream) => {
    const body = {
      ...GOOD[style].body,
      ...(stream && style !== 'gemini' ? { stream } : {}),
      // What the vendor keeps has ids of ours.
      ...(style === 'responses' ? { store: false } : {}),
    };
    // The relay always asks a Chat upstream for usage; asked for it here, nothing is taken out again.
    const asked = stream && style === 'chat' ? { ...body, stream_options: { include_usage: true } } : body;
    const path =
      stream && style === 'gemini' ? '/v1beta/models/sim-gemini:streamGenerateContent?alt=sse' : PATHS[style];
    const credential = {
      authorization: 'Bearer x',
      'x-api-key': 'x',
      'x-goog-api-key': 'x',
      'anthropic-version': '2023-06-01',
    };
    const direct = await call(`${at.simulatorUrl}${path}`, { headers: credential, body: asked });
    const relayed = await call(`${at.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${at.apiKey}` },
      body: asked,
    });
    expect(relayed.text).toBe(direct.text);
    expect(relayed.headers.get('content-type')).toBe(direct.headers.get('content-type'));
  });

  test('the caller’s key, cookies, address and query stay here; the upstream’s own credential goes with it', async () => {
    const mark = randomUUID();
    await call(`${at.baseUrl}${PATHS[style]}?key=${at.apiKey}&trace=1`, {
      headers: {
        authorization: `Bearer ${at.apiKey}`,
        'x-api-key': at.apiKey,
        'x-goog-api-key': at.apiKey,
        cookie: 'session=1',
        'x-forwarded-for': '203.0.113.9',
      },
      body: oddBody(style, mark),
    });
    const request = await arrived(mark);
    expect(JSON.stringify(request)).not.toContain(at.apiKey);
    expect(request.headers).not.toHaveProperty('cookie');
    expect(request.headers).not.toHaveProperty('x-forwarded-for');
    expect(JSON.stringify(request.headers)).toContain('simulator-credential');
    expect(request.url).not.toContain('?');
  });
});

test.each([
  ['/v1/chat/completions', (model: string, mark: string) => ({ ...markedBody('chat', mark), model })],
  ['/v1/responses', (model: string, mark: string) => ({ ...markedBody('responses', mark), model })],
  ['/v1/messages', (model: string, mark: string) => ({ ...markedBody('messages', mark), model })],
])('%s: the upstream’s name of a model stays between us and it', async (path, bodyOf) => {
  for (const stream of [false, true]) {
    const mark = randomUUID();
    const { text } = await call(`${at.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${at.apiKey}` },
      body: { ...bodyOf('sim-mapped', mark), stream },
    });
    expect(text).toContain('"model":"sim-mapped"');
    expect(text).not.toContain('sim-upstream-name');
    expect((await arrived(mark)).body).toContain('"model":"sim-upstream-name"');
  }
});

test('generateContent: the upstream’s name of a model stands in its path', async () => {
  const mark = randomUUID();
  const { json } = await call(`${at.baseUrl}/v1beta/models/sim-mapped:generateContent`, {
    headers: { 'x-goog-api-key': at.apiKey },
    body: markedBody('gemini', mark),
  });
  expect(json?.['modelVersion']).toBe('sim-mapped');
  expect((await arrived(mark)).url).toBe('/v1beta/models/sim-upstream-name:generateContent');
});

test.each([
  ['none', undefined, '2023-06-01'],
  ['2023-06-01', '2023-06-01', '2023-06-01'],
  ['2026-10-21', '2026-10-21', '2026-10-21'],
])('anthropic-version %s', async (_given, version, expected) => {
  const mark = randomUUID();
  await call(`${at.baseUrl}/v1/messages`, {
    headers: { 'x-api-key': at.apiKey, ...(version ? { 'anthropic-version': version } : {}) },
    body: markedBody('messages', mark),
  });
  expect((await arrived(mark)).headers['anthropic-version']).toBe(expected);
});

test('a Chat upstream is always asked for usage; a caller who did not ask sees none', async () => {
  const mark = randomUUID();
  const { text } = await call(`${at.baseUrl}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${at.apiKey}` },
    body: { ...markedBody('chat', mark), stream: true },
  });
  expect(JSON.parse((await arrived(mark)).body)).toMatchObject({ stream_options: { include_usage: true } });
  expect(text).not.toContain('usage');
  expect(text).not.toContain('"choices":[]');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});
