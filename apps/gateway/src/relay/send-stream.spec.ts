import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { createMeter, type Metered } from '@tollgate/metering';
import { waitFor } from '@tollgate/harness';
import { createResponseRewriter } from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { sendStream, type StreamEnd } from './send-stream.ts';

const CHUNK = 'data: {"id":"1","object":"chat.completion.chunk","choices":[]}\n\n';
const END = 'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

let server: Server;
let sent: Promise<StreamEnd>;
let recorded: () => Promise<void>;
let response: ServerResponse;

/** Of a client that stays. */
const STAYS = { gone: new AbortController().signal, ended: new AbortController().signal };

const pass = (answer: ServerResponse, upstream: Readable): Promise<StreamEnd> =>
  sendStream(answer, upstream, {
    protocol: 'openai-chat',
    framing: 'sse',
    rewriter: createResponseRewriter('openai-chat', { stream: 'sse' }),
    meter: createMeter('openai-chat', { stream: 'sse', requestEstimate: 1, whole: undefined }),
    keepAliveMs: 60_000,
    eventLimitBytes: 1_000_000,
    keptLimitBytes: 1_000_000,
    departure: STAYS,
    onFirstByte: () => {},
    onFailed: () => {},
    beforeEnd: () => recorded(),
  });

beforeEach(async () => {
  server = createServer((_request, answer) => {
    response = answer;
    const upstream = new PassThrough();
    sent = pass(answer, upstream);
    sent.catch(() => answer.destroy());
    upstream.write(CHUNK);
    upstream.end(END);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

test('the end of a stream leaves once it is recorded', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  recorded = () => promise;
  const answer = await ask();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(CHUNK);
  expect(response.writableEnded).toBe(false);
  resolve();
  expect((await reader?.read())?.value).toBe(END);
  expect((await reader?.read())?.done).toBe(true);
  expect(await sent).toEqual({ end: 'complete', read: 'whole' });
});

test('a stream that cannot be recorded fails, and has no end', async () => {
  recorded = () => Promise.reject(new Error('nobody foresaw this'));
  const answer = await ask();
  await expect(answer.text()).rejects.toThrow();
  await expect(sent).rejects.toThrow('nobody foresaw this');
  expect(response.writableEnded).toBe(false);
});

describe('an event that is larger than is accepted', () => {
  const PIECE = Buffer.alloc(64 * 1024, 'x');

  /** Sends an endless event to a caller, after some that are good; how much of it was taken. */
  async function sendEndless(
    protocol: ClientProtocol,
    framing: 'sse' | 'json-array',
    model: string | undefined,
    good: string,
    begin: string,
  ) {
    const ended = Promise.withResolvers<Metered>();
    let taken = 0;
    server.removeAllListeners('request');
    server.on('request', (_request, answer: ServerResponse) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      const upstream = Readable.from(
        (function* () {
          yield Buffer.from(good);
          yield Buffer.from(begin);
          for (;;) {
            taken += PIECE.length;
            yield PIECE;
          }
        })(),
        { objectMode: false },
      );
      const meter = createMeter(protocol, { stream: framing, requestEstimate: 7, whole: undefined });
      void sendStream(answer, upstream, {
        protocol,
        framing,
        meter,
        keepAliveMs: 60_000,
        eventLimitBytes: 1_000_000,
        keptLimitBytes: 1_000_000,
        departure: STAYS,
        rewriter: createResponseRewriter(protocol, { stream: framing, ...(model ? { model } : {}) }),
        onFirstByte: () => {},
        onFailed: () => {},
        beforeEnd: async () => ended.resolve(meter.finish('upstream_cut')),
      });
    });
    const answer = await ask();
    const text = await answer.text();
    return { text, metered: await ended.promise, taken };
  }

  const chat = 'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
  const responses = 'data: {"type":"response.output_text.delta","delta":"Hello","sequence_number":4}\n\n';
  const messages =
    'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello"}}\n\n';
  const gemini = '{"candidates":[{"content":{"parts":[{"text":"Hello"}]}}],"modelVersion":"m"}';

  test.each([
    ['openai-chat', 'sse', undefined, chat, 'data: {"x":"'],
    ['openai-chat', 'sse', 'mine', chat, 'data: {"x":"'],
    ['openai-chat', 'sse', 'mine', chat, 'nothing that is known'],
    ['openai-responses', 'sse', undefined, responses, ': '],
    ['anthropic-messages', 'sse', undefined, messages, 'data: '],
    ['gemini', 'sse', 'mine', `data: ${gemini}\r\n\r\n`, 'data: '],
    ['gemini', 'json-array', undefined, `[${gemini}`, ',{"x":"'],
    ['gemini', 'json-array', 'mine', `[${gemini}`, ',{"x":"'],
  ] as const)(
    '%s as %s with the name %s ends as an error of the upstream, and what passed is billed',
    async (protocol, framing, model, good, begin) => {
      const { text, metered, taken } = await sendEndless(protocol, framing, model, good, begin);
      expect(taken).toBeLessThan(1_300_000);
      expect(text).toContain('Hello');
      expect(text).toContain('larger than is accepted');
      expect(text).not.toContain('xxxx');
      if (framing === 'json-array') expect(JSON.parse(text)).toHaveLength(2);
      expect(metered).toMatchObject({
        source: 'estimated',
        tokens: { input: 7, output: expect.any(Number) },
      });
    },
  );
});

describe('the bytes of an upstream end', () => {
  /** What a client reads of a stream of these bytes, and how it ended. */
  async function sendBytes(bytes: string, model?: string) {
    const over = Promise.withResolvers<StreamEnd>();
    server.removeAllListeners('request');
    server.on('request', (_request, answer: ServerResponse) => {
      sendStream(answer, Readable.from([Buffer.from(bytes)], { objectMode: false }), {
        protocol: 'openai-chat',
        framing: 'sse',
        keepAliveMs: 60_000,
        eventLimitBytes: 1_000_000,
        keptLimitBytes: 1_000_000,
        departure: STAYS,
        meter: createMeter('openai-chat', { stream: 'sse', requestEstimate: 7, whole: undefined }),
        rewriter: createResponseRewriter('openai-chat', { stream: 'sse', ...(model ? { model } : {}) }),
        onFirstByte: () => {},
        onFailed: () => {},
        beforeEnd: () => Promise.resolve(),
      }).then(over.resolve, over.reject);
    });
    const text = await (await ask()).text();
    return { text, read: (await over.promise).read };
  }
  const FAILED = 'data: {"error":{"message":"Overloaded","code":502}}\n\n';

  test.each([undefined, 'mine'])(
    'without a blank line: a whole answer is ended, with the name %s',
    async (model) => {
      for (const cut of [1, 2])
        expect(await sendBytes(`${CHUNK}${END.slice(0, -cut)}`, model)).toEqual({
          text: `${CHUNK}${END}`,
          read: 'whole',
        });
    },
  );

  test.each([undefined, 'mine'])(
    'inside an event: only whole ones and our error reach the client, with the name %s',
    async (model) => {
      const { text, read } = await sendBytes(`${CHUNK}${END.slice(0, 30)}`, model);
      expect(read).toBe('cut');
      const events = text.split('\n\n');
      expect(`${events[0]}\n\n`).toBe(CHUNK);
      expect(events[1]).toMatch(/^data: {"error":{"message":"The upstream broke off/);
      expect(events.slice(2)).toEqual(['']);
    },
  );

  test('with an error of the upstream: that is told once, and counts as a break', async () => {
    expect(await sendBytes(`${CHUNK}${FAILED}`)).toEqual({ text: `${CHUNK}${FAILED}`, read: 'cut' });
    expect(await sendBytes(`${CHUNK}${FAILED}data: [DONE]\n\n`)).toMatchObject({ read: 'cut' });
  });
});

describe('a client that goes away', () => {
  const USAGE =
    'data: {"id":"1","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":22,"total_tokens":33}}\n\n';

  /** Sends the stream of an upstream to a client that leaves as it is told. */
  async function leave(upstream: PassThrough, untilThen = async () => Promise.resolve()) {
    const gone = new AbortController();
    const ended = new AbortController();
    const meter = createMeter('openai-chat', { stream: 'sse', requestEstimate: 7, whole: undefined });
    const started = Promise.withResolvers<void>();
    const over = Promise.withResolvers<StreamEnd>();
    server.removeAllListeners('request');
    server.on('request', (_request, answer: ServerResponse) => {
      answer.once('close', () => gone.abort());
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      sendStream(answer, upstream, {
        protocol: 'openai-chat',
        framing: 'sse',
        meter,
        keepAliveMs: 60_000,
        eventLimitBytes: 1_000_000,
        keptLimitBytes: 1_000_000,
        rewriter: createResponseRewriter('openai-chat', { stream: 'sse' }),
        departure: { gone: gone.signal, ended: ended.signal },
        onFirstByte: () => {},
        onFailed: () => {},
        beforeEnd: () => Promise.resolve(),
      }).then(over.resolve, over.reject);
      started.resolve();
    });
    const client = new AbortController();
    const asked = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      signal: client.signal,
    });
    await started.promise;
    upstream.write(CHUNK);
    await (await asked).body?.getReader().read();
    await untilThen();
    client.abort();
    await once(gone.signal, 'abort');
    return { meter, ended, over: over.promise };
  }

  test('has the upstream read on to its usage', async () => {
    const upstream = new PassThrough();
    const { meter, over } = await leave(upstream);
    upstream.write(CHUNK.repeat(100));
    upstream.write(END);
    upstream.end(`${USAGE}data: [DONE]\n\n`);
    expect(await over).toEqual({ end: 'client_aborted', read: 'whole' });
    expect(meter.finish('complete')).toEqual({ tokens: { input: 11, output: 22 }, source: 'upstream' });
  });

  test('after it read slowly, too: nothing waits for it any longer', async () => {
    const upstream = new PassThrough();
    const { over } = await leave(upstream, async () => {
      for (let n = 0; n < 2_000; n += 1) upstream.write(CHUNK.repeat(500));
      await waitFor(() => upstream.isPaused(), 'a full connection');
    });
    upstream.end(END + USAGE);
    expect(await over).toEqual({ end: 'client_aborted', read: 'whole' });
  });

  test('when it is not read on any longer, its upstream is ended', async () => {
    const upstream = new PassThrough();
    const { ended, over } = await leave(upstream);
    ended.abort();
    expect(await over).toEqual({ end: 'client_aborted', read: 'given_up' });
    expect(upstream.destroyed).toBe(true);
  });

  test('and an upstream that breaks off after it is known to have done so', async () => {
    const upstream = new PassThrough();
    const { over } = await leave(upstream);
    upstream.destroy(new Error('reset'));
    expect(await over).toEqual({ end: 'client_aborted', read: 'cut' });
  });
});
