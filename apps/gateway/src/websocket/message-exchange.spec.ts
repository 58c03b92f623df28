import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { MessageRequest, MessageResponse } from './message-exchange.ts';

const SSE = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_1', via: 'a' };

/** A response whose messages stay where they are until they are let go. */
function openResponse(streamId?: string) {
  const messages: string[] = [];
  const waiting: (() => void)[] = [];
  let pings = 0;
  const response = new MessageResponse({
    streamId,
    send(message, sent) {
      messages.push(message);
      waiting.push(sent);
    },
    ping: () => void (pings += 1),
    onEvent: () => {},
  });
  const release = () => waiting.splice(0).forEach((sent) => sent());
  return { response, messages, release, pings: () => pings };
}

test('events that come in pieces are messages, each with its own bytes', async () => {
  const { response, messages, release } = openResponse('a');
  response.writeHead(200, SSE);
  for (const piece of [
    'event: x\nda',
    'ta: {"type": "x",',
    ' "n": 1.0}\n\ndata: {"type":"y"}\n',
    '\ndata: [DONE]\n\n',
  ])
    response.write(Buffer.from(piece));
  response.end();
  const ended = once(response, 'close');
  while (!response.closed) {
    release();
    await new Promise(setImmediate);
  }
  await ended;
  expect(messages).toEqual([
    '{"stream_id":"a","headers":{"x-request-id":"req_1"},"type": "x", "n": 1.0}',
    '{"stream_id":"a","type":"y"}',
  ]);
  expect([response.headersSent, response.statusCode, response.writableFinished]).toEqual([true, 200, true]);
});

test('while a message has not left nothing more is taken', async () => {
  const { response, messages, release } = openResponse();
  response.writeHead(200, SSE);
  const event = Buffer.from(`data: {"type":"x","text":"${'x'.repeat(100_000)}"}\n\n`);
  expect(response.write(event)).toBe(false);
  response.write(event);
  await new Promise(setImmediate);
  expect(messages).toHaveLength(1);
  const drained = once(response, 'drain');
  release();
  await new Promise(setImmediate);
  release();
  await drained;
  expect(messages).toHaveLength(2);
});

test('a comment is a ping', () => {
  const { response, messages, pings } = openResponse();
  response.writeHead(200, SSE);
  response.write(Buffer.from(': keep-alive\n\n'));
  expect([messages, pings()]).toEqual([[], 1]);
});

test('an answer that is no stream is an error with its status', async () => {
  const { response, messages, release } = openResponse();
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1', 'set-cookie': 'a' });
  response.end('{"error":{"message":"No.","type":"t","param":null,"code":"c"}}');
  release();
  await once(response, 'close');
  expect(messages.map((message) => JSON.parse(message) as unknown)).toEqual([
    {
      headers: { 'retry-after': '1' },
      type: 'error',
      status: 429,
      error: { message: 'No.', type: 't', param: null, code: 'c' },
    },
  ]);
});

test('a message is a POST with what was said when the connection was opened', async () => {
  const request = new MessageRequest(
    {
      authorization: 'Bearer x',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'openai-beta': 'responses_websockets=2026-02-06, other=v1',
      'content-encoding': 'gzip',
    },
    Buffer.from('{}'),
  );
  expect(request.headers).toEqual({
    authorization: 'Bearer x',
    'openai-beta': 'other=v1',
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'content-length': '2',
  });
  expect([request.method, request.url, await text(request)]).toEqual(['POST', '/v1/responses', '{}']);
});
