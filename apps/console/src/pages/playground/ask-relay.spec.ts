import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askRelay } from './ask-relay.ts';
import { FORMATS } from './formats/formats.ts';
import type { Progress } from './progress.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let handle: Handler = (_request, response) => void response.end();
const server = createServer((request, response) => handle(request, response));
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' };

/** A clock that says one millisecond more each time. */
const clock = () => {
  let time = 0;
  return () => (time += 1);
};

const controller = () => new AbortController();
const ask = (abort = controller(), to = origin) =>
  askRelay({
    format: FORMATS.openai,
    request: { path: '/v1/chat/completions', body: { model: 'm' } },
    key: 'sk-x',
    signal: abort.signal,
    now: clock(),
    origin: to,
  });

async function all(progress: AsyncIterable<Progress>): Promise<readonly Progress[]> {
  const notified: Progress[] = [];
  for await (const each of progress) notified.push(each);
  return notified;
}

test('a stream is told as it comes, with its request id, its times and what was left out', async () => {
  let sent: { readonly key: string | undefined; readonly body: string } | undefined;
  handle = (request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      sent = { key: request.headers.authorization, body };
      response.writeHead(200, { ...headers, 'x-tollgate-dropped': 'seed, logprobs' });
      response.end(chunk('Hel') + chunk('lo'));
    });
  };
  const progress = await all(ask());
  expect(sent).toEqual({ key: 'Bearer sk-x', body: '{"model":"m"}' });
  const last = progress.at(-1);
  expect(last).toMatchObject({
    status: 'done',
    requestId: 'req_1',
    refusal: null,
    answer: { text: 'Hello' },
    dropped: ['seed', 'logprobs'],
    emulated: [],
  });
  expect(last?.totalMs).toBeGreaterThan(last?.firstTokenMs ?? Infinity);
  expect(progress[0]).toMatchObject({ status: 'running', totalMs: null });
});

test('a refusal says why, with its status and when to try again', async () => {
  handle = (_request, response) => {
    response.writeHead(429, {
      'content-type': 'application/json',
      'retry-after': '7',
      'x-request-id': 'req_2',
    });
    response.end(JSON.stringify({ error: { message: 'Too fast.' } }));
  };
  expect(await all(ask())).toMatchObject([
    {
      status: 'failed',
      requestId: 'req_2',
      refusal: { status: 429, message: 'Too fast.', retryAfterS: 7 },
    },
  ]);
});

test('a refusal that is no JSON leaves its status to speak', async () => {
  handle = (_request, response) => void response.writeHead(502).end('Bad gateway');
  expect(await all(ask())).toMatchObject([
    { status: 'failed', refusal: { status: 502, message: '', retryAfterS: null } },
  ]);
});

test('an error in the midst of a stream ends it as failed, and keeps what was said', async () => {
  handle = (_request, response) => {
    response.writeHead(200, headers);
    response.end(`${chunk('Hel')}data: {"error":{"message":"Broken off."}}\n\n`);
  };
  expect((await all(ask())).at(-1)).toMatchObject({
    status: 'failed',
    answer: { text: 'Hel' },
    refusal: { status: 200, message: 'Broken off.' },
  });
});

test('who stops keeps what was said, and the connection is closed', async () => {
  const closed = Promise.withResolvers<undefined>();
  handle = (request, response) => {
    request.socket.once('close', () => closed.resolve(undefined));
    response.writeHead(200, headers);
    response.write(chunk('Hel'));
  };
  const abort = controller();
  const heard: Progress[] = [];
  for await (const progress of ask(abort)) {
    heard.push(progress);
    abort.abort();
  }
  await closed.promise;
  expect(heard.at(-1)).toMatchObject({ status: 'stopped', answer: { text: 'Hel' }, refusal: null });
});

test('a connection that breaks is no answer', async () => {
  handle = (_request, response) => {
    response.writeHead(200, headers);
    response.write(chunk('Hel'), () => response.destroy());
  };
  expect((await all(ask())).at(-1)).toMatchObject({ status: 'failed', refusal: { status: 0 } });
});

test('a relay that is not there is no answer', async () => {
  expect(await all(ask(controller(), 'http://127.0.0.1:1'))).toMatchObject([
    { status: 'failed', requestId: null, refusal: { status: 0, message: '' } },
  ]);
});
