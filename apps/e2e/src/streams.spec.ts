import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { openBooks } from './books.ts';
import { call, GOOD, type Style } from './call.ts';
import { sharedStack, makeKey } from './shared-stack.ts';
import { sendAndLeave } from './leave.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' };

function streamOf(style: Style, script: object): { path: string; body: object } {
  const text = `[[sim ${JSON.stringify(script)}]]`;
  switch (style) {
    case 'responses':
      return { path: GOOD.responses.path, body: { ...GOOD.responses.body, input: text, stream: true } };
    case 'gemini':
      return {
        path: '/v1beta/models/sim-gemini:streamGenerateContent?alt=sse',
        body: { contents: [{ parts: [{ text }] }] },
      };
    default:
      return {
        path: GOOD[style].path,
        body: { ...GOOD[style].body, stream: true, messages: [{ role: 'user', content: text }] },
      };
  }
}

const open = (style: Style, script: object, signal?: AbortSignal) => {
  const { path, body } = streamOf(style, script);
  return fetch(`${at.baseUrl}${path}`, {
    method: 'POST',
    headers,
    // More than the simulator is told to say: what is beyond the maximum is not billed.
    body: JSON.stringify('max_tokens' in body ? { ...body, max_tokens: 1_000 } : body),
    ...(signal ? { signal } : {}),
  });
};

const ALL: Style[] = ['chat', 'responses', 'messages', 'gemini'];

test.each(ALL)('%s: each piece leaves as it comes, before the upstream has said the next', async (style) => {
  const spread = async () => {
    const answer = await open(style, { words: 6, chunk_delay_ms: 60 });
    const arrivals: number[] = [];
    for await (const _chunk of answer.body ?? []) arrivals.push(performance.now());
    return arrivals.length < 6 ? 0 : (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  };
  // Was anything held back, all pieces come together, as they do now and then where the machine stands still.
  await waitFor(async () => (await spread()) > 150, 'pieces one after the other');
});

const ERROR_EVENT: Readonly<Record<Style, RegExp>> = {
  chat: /data: \{"error":\{"message":/,
  responses: /event: error\ndata: .*\n\nevent: response\.failed\n/,
  messages: /event: error\ndata: \{"type":"error"/,
  gemini: /data: \{"error":\{"code":502/,
};

test.each(ALL)(
  '%s: an upstream that breaks off ends in an error event, and what came is billed',
  async (style) => {
    const answer = await open(style, { words: 40, chunk_delay_ms: 2, cut_after_chunks: 12 });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('word5');
    expect(text).toMatch(ERROR_EVENT[style]);
    expect(text).not.toContain('[DONE]');
    const row = await books.usage(answer.headers.get('x-request-id') ?? '');
    expect(row.outcome).toBe('upstream_cut');
    expect(row.usage_source).toBe(style === 'chat' || style === 'responses' ? 'estimated' : 'partial');
    const output = Number(row['tokens_output']);
    expect(output).toBeGreaterThan(3);
    // Of a model that was seen to reason, its time counts.
    expect(output + Number(row['tokens_output_reasoning'])).toBeLessThan(60 + Number(row['latency_ms']) / 10);
  },
);

/** Reads a little of an answer, and goes away. */
async function leaveEarly(style: Style, script: object): Promise<string> {
  const gone = new AbortController();
  const answer = await open(style, script, gone.signal);
  const reader = answer.body?.getReader();
  for (let chunks = 0; chunks < 4; chunks += 1) await reader?.read();
  gone.abort();
  await reader?.read().catch(() => {});
  return answer.headers.get('x-request-id') ?? '';
}

test.each(ALL)('%s: a client that goes away pays what its upstream reports in the end', async (style) => {
  const row = await books.usage(await leaveEarly(style, { words: 60, chunk_delay_ms: 80 }));
  expect(row).toMatchObject({
    outcome: 'client_aborted',
    usage_source: 'upstream',
    tokens_output: '60',
  });
});

test('an upstream that goes on for longer than is waited for is ended, and what was held is charged', async () => {
  const requestId = await leaveEarly('messages', { words: 4_000, chunk_delay_ms: 20 });
  const row = await waitFor(
    () => books.one('SELECT * FROM billing.usage WHERE request_id = $1', [requestId]),
    'the row',
  );
  expect(row).toMatchObject({ outcome: 'client_aborted', usage_source: 'partial', tokens_output: '1000' });
  // The upstream would have gone on for 80 seconds.
  expect(Number(row['latency_ms'])).toBeLessThan(40_000);
});

test.each(ALL)('%s: an upstream that reports no usage is estimated and marked so', async (style) => {
  const answer = await open(style, { words: 100, no_usage: true });
  await answer.text();
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ usage_source: 'estimated', outcome: 'completed' });
  expect(Number(row['tokens_input'])).toBeGreaterThan(0);
  expect(Number(row['tokens_output'])).toBeGreaterThan(50);
  expect(Number(row['tokens_output'])).toBeLessThan(400);
});

test.each(ALL)('%s: an upstream with CRLF lines, cut anywhere, is passed on and metered', async (style) => {
  const answer = await open(style, { words: 3, crlf: true, chunk_bytes: 7 });
  expect(await answer.text()).toContain('word3');
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ usage_source: 'upstream', tokens_output: '3' });
});

test.each([
  ['chat', true],
  ['chat', false],
  ['responses', true],
  ['messages', false],
] as const)(
  '%s, stream %s: a client that leaves before the first byte pays what the upstream did',
  async (style, stream) => {
    const { id, key } = await makeKey(at);
    const { path, body } = streamOf(style, { first_delay_ms: 600, words: 7, usage: { input: 30 } });
    const mark = `mark-${id}`;
    const marked = style === 'messages' ? { metadata: { user_id: mark } } : { user: mark };
    await sendAndLeave(at, {
      path,
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: { ...body, stream, ...marked },
      mark,
      moment: 'before the first byte',
      lastWord: 'word7',
    });
    const row = await waitFor(
      () => books.one('SELECT * FROM billing.usage WHERE key_id = $1', [id]),
      'a row',
    );
    expect(row).toMatchObject({
      outcome: 'client_aborted',
      usage_source: 'upstream',
      stream,
      tokens_input: '30',
      tokens_output: '7',
    });
  },
);

test('a slow reader slows the upstream down instead of filling the relay’s memory', async () => {
  const { path, body } = streamOf('chat', { words: 200_000 });
  const received = await new Promise<number>((resolve, reject) => {
    const request = httpRequest(`${at.baseUrl}${path}`, { method: 'POST', headers }, (answer) => {
      answer.pause();
      void sleep(1_000).then(() => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
        answer.on('end', () => resolve(bytes));
        answer.resume();
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
  expect(received).toBeGreaterThan(20_000_000);
});

test('the first upstream that answers serves, and it is named in the books', async () => {
  const row = await waitFor(async () => {
    const { headers: answered } = await call(`${at.baseUrl}${GOOD.chat.path}`, {
      headers,
      body: GOOD.chat.body,
    });
    return books.usage(answered.get('x-request-id') ?? '');
  }, 'a row');
  expect(row).toMatchObject({ upstream: 'simulator', upstream_model: 'sim-chat' });
});
