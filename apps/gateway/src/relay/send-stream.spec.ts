import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { createMeter } from '@tollgate/metering';
import { createResponseRewriter } from '@tollgate/protocols';
import { sendStream, type StreamEnd } from './send-stream.ts';

const CHUNK = 'data: {"id":"1","object":"chat.completion.chunk","choices":[]}\n\n';
const END = 'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

let server: Server;
let sent: Promise<StreamEnd>;
let recorded: () => Promise<void>;
let response: ServerResponse;

beforeEach(async () => {
  server = createServer((_request, answer) => {
    response = answer;
    const upstream = new PassThrough();
    sent = sendStream(answer, upstream, {
      protocol: 'openai-chat',
      framing: 'sse',
      rewriter: createResponseRewriter('openai-chat', { stream: 'sse' }),
      meter: createMeter('openai-chat', { stream: 'sse', requestEstimate: 1, whole: undefined }),
      keepAliveMs: 60_000,
      onFirstByte: () => {},
      beforeEnd: () => recorded(),
    });
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
  expect(await sent).toBe('complete');
});

test('a stream that cannot be recorded fails, and has no end', async () => {
  recorded = () => Promise.reject(new Error('nobody foresaw this'));
  const answer = await ask();
  await expect(answer.text()).rejects.toThrow();
  await expect(sent).rejects.toThrow('nobody foresaw this');
  expect(response.writableEnded).toBe(false);
});
