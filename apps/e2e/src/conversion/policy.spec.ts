import { waitFor } from '@tollgate/harness';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { openBooks } from '../books.ts';
import { call, type Json } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { makePools, modelOn } from '../pools.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
let key: string;
beforeAll(async () => {
  key = await makePools(at, 'policy');
}, 60_000);
afterAll(() => books.close());

const chat = (format: ClientProtocol, fields: object, headers: Record<string, string> = {}) =>
  call(`${at.baseUrl}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: { model: modelOn(format), messages: [{ role: 'user', content: 'Hello' }], ...fields },
  });

const scripted = (script: object) => ({
  messages: [{ role: 'user', content: `[[sim ${JSON.stringify(script)}]]` }],
});

test('hints that an upstream does not take are left out and named', async () => {
  const { status, headers } = await chat('anthropic-messages', {
    seed: 7,
    logit_bias: { 5: 1 },
    made_up: true,
  });
  expect(status).toBe(200);
  expect(headers.get('x-tollgate-dropped')?.split(', ').sort()).toEqual(['logit_bias', 'made_up', 'seed']);
});

test('what is done in another way is named', async () => {
  const { status, headers } = await chat('anthropic-messages', {
    temperature: 1.5,
    response_format: { type: 'json_object' },
  });
  expect(status).toBe(200);
  expect(headers.get('x-tollgate-emulated')).toContain('temperature');
});

test('a request that loses nothing has neither header', async () => {
  const { headers } = await chat('anthropic-messages', { temperature: 0.5, stop: ['x'] });
  expect([headers.get('x-tollgate-dropped'), headers.get('x-tollgate-emulated')]).toEqual([null, null]);
});

test.each([
  ['openai-responses', { stop: ['x'] }, 'stop'],
  ['anthropic-messages', { n: 2 }, 'n'],
  ['gemini', { logprobs: true }, 'logprobs'],
  [
    'anthropic-messages',
    {
      messages: [
        { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
      ],
    },
    'messages[0].content[0]',
  ],
  [
    'gemini',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      ],
    },
    'messages[0].content[0]',
  ],
] as const)(
  'on %s, what changes the meaning is a 400 that names the field: %j',
  async (format, fields, named) => {
    const { status, json } = await chat(format, fields);
    expect([status, json?.['error']?.['param'], json?.['error']?.['code']]).toEqual([
      400,
      named,
      'unsupported_parameter',
    ]);
  },
);

test('previous_response_id is refused by an upstream that keeps nothing', async () => {
  const { status, json } = await call(`${at.baseUrl}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: modelOn('openai-chat'), input: 'Hello', previous_response_id: 'resp_1' },
  });
  expect([status, json?.['error']?.['param']]).toEqual([400, 'previous_response_id']);
});

test('a strict key turns what would be left out into a 400', async () => {
  const strict = await makeKey(at, { group: 'policy', strict: true });
  const { status, json } = await chat(
    'anthropic-messages',
    { seed: 7 },
    { authorization: `Bearer ${strict.key}` },
  );
  expect([status, json?.['error']?.['param']]).toEqual([400, 'seed']);
  await admin(at, 'PATCH', `/api/keys/${strict.id}`, { strict: false });
  await waitFor(async () => {
    const answer = await chat('anthropic-messages', { seed: 7 }, { authorization: `Bearer ${strict.key}` });
    return answer.status === 200;
  }, 'the key that is strict no more');
});

describe.each(CLIENT_PROTOCOLS.filter((format) => format !== 'openai-chat'))(
  'a Chat client on %s',
  (format) => {
    test('the upstream’s refusal comes in the caller’s envelope, in the upstream’s words', async () => {
      const { status, json } = await chat(format, scripted({ status: 400 }));
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: {
          message: 'The simulator was told to fail with 400.',
          type: 'invalid_request_error',
        } as unknown as Json,
      });
    });

    test.each([
      ['breaks off', { words: 40, chunk_delay_ms: 2, cut_after_chunks: 12 }],
      ['sends broken JSON', { words: 20, chunk_delay_ms: 1, malformed_chunk_at: 8 }],
      ['sends its own error event', { words: 20, chunk_delay_ms: 1, error_event_at: 9 }],
    ])(
      'an upstream that %s ends in the caller’s error event, and what came is billed',
      async (_case, script) => {
        const { status, text, headers } = await chat(format, { ...scripted(script), stream: true });
        expect(status).toBe(200);
        expect(text).toContain('word2');
        expect(text).toMatch(/data: \{"error":\{"message":"[^"]+"/);
        expect(text).not.toContain('[DONE]');
        const row = await books.usage(headers.get('x-request-id') ?? '');
        expect(row.outcome).toBe('upstream_cut');
        expect(Number(row['tokens_output'])).toBeGreaterThan(0);
      },
    );

    test('CRLF lines cut into small pieces change nothing', async () => {
      const script = { text: 'Grüße aus Köln, 你好 👋', crlf: true, chunk_bytes: 5 };
      const { text } = await chat(format, { ...scripted(script), stream: true });
      const pieces = [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]);
      expect(pieces.join('')).toBe('Grüße aus Köln, 你好 👋');
      expect(text).toMatch(/data: \[DONE\]\n\n$/);
    });
  },
);

describe.each(CLIENT_PROTOCOLS)('an upstream that speaks %s', (format) => {
  test('and answers whole where a stream was asked for: the client has its stream', async () => {
    const { status, text, headers } = await chat(format, {
      ...scripted({ stream: false, text: 'All at once' }),
      stream: true,
    });
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ]);
    expect(text).toContain('"content":"All at once"');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await books.usage(headers.get('x-request-id') ?? '')).toMatchObject({
      usage_source: 'upstream',
      tokens_output: '3',
    });
  });

  test('and streams where no stream was asked for: the client has its whole answer', async () => {
    const { status, json, headers } = await chat(format, scripted({ stream: true, text: 'Piece by piece' }));
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Piece by piece' } }],
    });
    expect(await books.usage(headers.get('x-request-id') ?? '')).toMatchObject({ outcome: 'completed' });
  });
});

test('a client that leaves pays what an upstream of another format reports in the end', async () => {
  const gone = new AbortController();
  const answer = await fetch(`${at.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOn('anthropic-messages'),
      stream: true,
      ...scripted({ words: 20, chunk_delay_ms: 250 }),
    }),
    signal: gone.signal,
  });
  const reader = answer.body?.getReader();
  for (let chunks = 0; chunks < 5; chunks += 1) await reader?.read();
  gone.abort();
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ outcome: 'client_aborted', usage_source: 'upstream', tokens_output: '20' });
});
