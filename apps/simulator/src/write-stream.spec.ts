import { connect } from 'node:net';
import {
  anthropicMessages,
  ask,
  parseData,
  type Dialect,
  dialects,
  gemini,
  geminiArray,
  openaiChat,
  openaiResponses,
  readUntilCut,
  send,
} from '../testing/dialects.ts';
import { type RunningSimulator, startSimulator } from './simulator.ts';

let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const stream = (dialect: Dialect, script: object = {}) =>
  ask(simulator.url, dialect, { text: 'one two three', stream: true, script });
const text = { text: 'alpha beta gamma' };

describe.each(dialects)('$name', (dialect) => {
  test('a stream is cut after so many chunks, and those before it have arrived', async () => {
    const whole = parseData((await stream(dialect, text)).text);
    for (const cut_after_chunks of [0, 1, 3]) {
      const script = { ...text, cut_after_chunks };
      const answer = await send(simulator.url, dialect, { text: 'one two three', stream: true, script });
      expect(answer.status).toBe(200);
      const read = await readUntilCut(answer);
      expect(read.cut).toBe(true);
      expect(parseData(read.text)).toHaveLength(cut_after_chunks);
      expect(whole.length).toBeGreaterThanOrEqual(cut_after_chunks);
    }
  });

  test('a chunk in the middle is broken JSON and those around it are whole', async () => {
    const whole = parseData((await stream(dialect, text)).text);
    const damaged = parseData((await stream(dialect, { ...text, malformed_chunk_at: 1 })).text);
    expect(damaged).toHaveLength(whole.length);
    expect(damaged[1]).toBe('{"broken":');
    expect(() => JSON.parse(damaged[0] ?? '') as unknown).not.toThrow();
    expect(() => JSON.parse(damaged[2] ?? '') as unknown).not.toThrow();
  });

  test("the format's error event takes the place of a chunk and ends the stream", async () => {
    const { status, text: said } = await stream(dialect, { ...text, error_event_at: 2 });
    expect(status).toBe(200);
    const events = parseData(said).filter((data) => data !== '[DONE]');
    expect(events).toHaveLength(3);
    expect(JSON.parse(events[2] ?? '')).toMatchObject({
      error: { message: 'The simulator was told to break off.' },
    });
  });

  test('lines end with CR and LF when told so, and the events are the same', async () => {
    const plain = await stream(dialect, { ...text, content_type: 'text/event-stream' });
    const crlf = await stream(dialect, { ...text, crlf: true });
    expect(plain.text).not.toContain('\r');
    expect(crlf.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(parseData(crlf.text)).toHaveLength(parseData(plain.text).length);
  });

  test('the content type is what the script says, and otherwise what the format has', async () => {
    const [whole, streamed] = [{ ...text }, { ...text, content_type: 'text/plain' }];
    expect((await stream(dialect, whole)).headers.get('content-type')).toBe('text/event-stream');
    expect((await stream(dialect, streamed)).headers.get('content-type')).toBe('text/plain');
    const answer = await ask(simulator.url, dialect, { script: { content_type: 'application/xml' } });
    expect(answer.headers.get('content-type')).toBe('application/xml');
  });

  test('delays between chunks add up and change nothing else', async () => {
    const fields = { text: 'alpha beta' };
    const chunks = parseData((await stream(dialect, fields)).text).filter((data) => data !== '[DONE]').length;
    const startedAt = performance.now();
    const slow = await stream(dialect, { ...fields, chunk_delay_ms: 20 });
    expect(performance.now() - startedAt).toBeGreaterThan((chunks - 1) * 18);
    expect(parseData(slow.text).filter((data) => data !== '[DONE]')).toHaveLength(chunks);
  });

  test('the bytes come in pieces of the size that the script says', async () => {
    const { sizes, body } = await pieces(dialect, { text: 'größer als ein Byte', chunk_bytes: 5 });
    expect(Math.max(...sizes)).toBe(5);
    expect(sizes.length).toBeGreaterThanOrEqual(body.length / 5);
    expect(body.toString()).toContain('größer');
    expect(parseData(body.toString()).length).toBeGreaterThan(0);
  });
});

test.each([openaiChat, openaiResponses, anthropicMessages, gemini, geminiArray])(
  'a cut after the last chunk of $name leaves out only what ends the stream',
  async (dialect) => {
    const whole = (await stream(dialect, { text: 'alpha' })).text;
    const separators = dialect === geminiArray ? whole.match(/,\r\n/g) : whole.match(/^data: (?!\[DONE\])/gm);
    const chunks = (separators?.length ?? 0) + (dialect === geminiArray ? 1 : 0);
    const read = await readUntilCut(
      await send(simulator.url, dialect, {
        text: 'one two three',
        stream: true,
        script: { text: 'alpha', cut_after_chunks: chunks },
      }),
    );
    expect(read.cut).toBe(true);
    const expected =
      dialect === geminiArray ? whole.replace(/\]$/, '') : whole.replace('data: [DONE]\n\n', '');
    expect(withoutIds(read.text)).toBe(withoutIds(expected));
  },
);

test('a chat stream ends with [DONE], unless the script says no', async () => {
  expect((await stream(openaiChat)).text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect((await stream(openaiChat, { no_done: true })).text).not.toContain('[DONE]');
});

test('a Gemini array lacks its end when the script says so', async () => {
  expect(JSON.parse((await stream(geminiArray, text)).text)).toHaveLength(3);
  expect((await stream(geminiArray, { ...text, no_done: true })).text).not.toMatch(/\]$/);
});

test('a Gemini array stays a JSON array with CR and LF, with an error and with an empty answer', async () => {
  expect(JSON.parse((await stream(geminiArray, { ...text, crlf: true })).text)).toHaveLength(3);
  expect(JSON.parse((await stream(geminiArray, { ...text, error_event_at: 1 })).text)).toEqual([
    expect.objectContaining({ candidates: expect.any(Array) as unknown }),
    { error: expect.objectContaining({ code: 500, status: 'INTERNAL' }) as unknown },
  ]);
  expect(JSON.parse((await stream(geminiArray, { text: '' })).text)).toMatchObject([
    { candidates: [{ finishReason: 'STOP' }] },
  ]);
  const { headers } = await stream(geminiArray);
  expect(headers.get('content-type')).toBe('application/json');
});

test('a long answer reaches a slow reader whole', async () => {
  const { text: said } = await stream(openaiChat, { words: 30_000 });
  const contents = parseData(said)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta?.content ?? '');
  expect(contents.join('').split(' ')).toHaveLength(30_000);
});

/** The id is made of the question, which holds the script. */
const withoutIds = (said: string) =>
  said
    .replaceAll(/[0-9a-f]{24}/g, 'id')
    .replaceAll(/"(signature|thoughtSignature)":"[^"]*"/g, '')
    .replaceAll(
      /"(input_tokens|prompt_tokens|promptTokenCount|tokenCount|total_tokens|totalTokenCount)":\d+/g,
      '',
    );

/** The sizes of the HTTP chunks of an answer, and the bytes in them. */
async function pieces(dialect: Dialect, script: object): Promise<{ sizes: number[]; body: Buffer }> {
  const { hostname, port } = new URL(simulator.url);
  const body = JSON.stringify(dialect.body(`one [[sim ${JSON.stringify(script)}]]`, true));
  const head = Object.entries({
    host: hostname,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...dialect.headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), hostname);
  socket.write(`POST ${dialect.path(true)} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const received: Buffer[] = [];
  for await (const bytes of socket) received.push(bytes as Buffer);
  const answer = Buffer.concat(received);
  const sizes: number[] = [];
  const parts: Buffer[] = [];
  for (let at = answer.indexOf('\r\n\r\n') + 4; ;) {
    const lineEnd = answer.indexOf('\r\n', at);
    const size = Number.parseInt(answer.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return { sizes, body: Buffer.concat(parts) };
    sizes.push(size);
    parts.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
