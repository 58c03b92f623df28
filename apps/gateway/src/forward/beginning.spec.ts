import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { measureAwake } from '@tollgate/harness';
import {
  createTestPayload,
  simulate,
  type Simulated,
  type Forwarding,
  startForwarding,
  upstream,
} from '../../testing/forwarding.ts';

// A hand-made upstream comes first, which says its bytes as they are; the simulator is the next one.

let server: Server;
let next: Simulated;
let running: Forwarding;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  next = await simulate();
});
beforeEach(() => {
  running = startForwarding({
    upstreams: [
      upstream('odd', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ['a'], {
        first_byte_timeout_ms: 20_000,
      }),
      upstream('next', next.url, ['b']),
    ],
    pool: { members: [{ upstream: 'odd' }, { upstream: 'next', priority: 1 }], attempts: 2 },
  });
});
afterEach(() => running.close());
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await next.close();
});

const sse = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c1',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const ROLE = chunk({ role: 'assistant', content: '' });
const HELLO = chunk({ content: 'Hello' });
const STOP = chunk({}, 'stop');
const FAILED = { error: { message: 'Overloaded', code: 502 } };

const saying =
  (type: string | undefined, ...parts: (string | number)[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, type === undefined ? {} : { 'content-type': type });
    void (async () => {
      for (const part of parts) {
        if (typeof part === 'string') response.write(part);
        else await new Promise((resolve) => setTimeout(resolve, part));
      }
      response.end();
    })();
  };
const EVENTS = 'text/event-stream';

/** Who answered, and what; the view of the odd one after it. */
async function ask(stream: boolean) {
  const forwarded = await running.send({ stream });
  const target = running.stages[0]?.candidates.find(({ client }) => client.upstream.name === 'odd')?.target;
  if (forwarded.kind === 'failed' || forwarded.kind === 'aborted')
    return { by: forwarded.kind, target, forwarded };
  const said = forwarded.kind === 'stream' ? await text(forwarded.body) : forwarded.body.toString();
  return { by: forwarded.candidate.client.upstream.name, said, status: forwarded.status, target, forwarded };
}

describe('the next upstream answers where a stream', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['ends in its first packet', saying(EVENTS)],
    ['ends a moment after its head', saying(EVENTS, 30)],
    ['is only keep-alives', saying(EVENTS, ': ping\n\n', ': ping\n\n')],
    ['is only an announcement', saying(EVENTS, sse(ROLE))],
    ['is only its mark of the end', saying(EVENTS, sse('[DONE]'))],
    ['is only an error', saying(EVENTS, sse(FAILED))],
    ['is an error and the mark of the end', saying(EVENTS, sse(FAILED, '[DONE]'))],
    ['is an error without a blank line', saying(EVENTS, sse(FAILED).trimEnd())],
    ['announces an answer and fails', saying(EVENTS, sse(ROLE, FAILED))],
    ['announces an answer and fails later', saying(EVENTS, sse(ROLE), 100, sse(FAILED))],
    ['is an error as JSON', saying(EVENTS, JSON.stringify(FAILED))],
    ['is an error of another content type', saying('text/plain', sse(FAILED))],
  ])('%s', async (_, said) => {
    answer = said;
    const asked = ask(true);
    expect(await measureAwake(asked)).toBeLessThan(2_000);
    const { by, target } = await asked;
    expect(by).toBe('next');
    expect(target?.view()).toMatchObject({ volume: 1, failureRate: 1, outstanding: 0 });
  });
});

test('an answer of 200 that is an error is one: the next upstream answers', async () => {
  for (const body of [
    FAILED,
    { choices: [{ index: 0, message: null, error: { code: 503, message: 'Gone' } }] },
  ]) {
    answer = saying('application/json', JSON.stringify(body));
    expect(await ask(false)).toMatchObject({ by: 'next' });
  }
});

test('where nobody else can answer the caller is told its words, without our credential', async () => {
  await running.close();
  running = startForwarding({
    upstreams: [
      upstream('odd', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ['secret-key-1']),
    ],
    pool: { members: [{ upstream: 'odd' }] },
  });
  answer = saying(EVENTS, sse({ error: { message: 'No luck with secret-key-1', code: 500 } }));
  const { forwarded } = await ask(true);
  expect(forwarded).toMatchObject({
    kind: 'failed',
    error: { kind: 'upstream_error', message: 'No luck with ***' },
  });
});

test('a failure that is the caller’s fault is said by the first upstream, and counts against nobody', async () => {
  answer = saying(
    EVENTS,
    sse({
      error: {
        message: 'This model has a maximum context length of 5 tokens',
        code: 'context_length_exceeded',
      },
    }),
  );
  const { by, status, said, target } = await ask(true);
  expect([by, status]).toEqual(['odd', 400]);
  expect(JSON.parse(said ?? '')).toMatchObject({ error: { code: 'context_length_exceeded' } });
  expect(target?.view()).toMatchObject({ failureRate: 0 });
});

describe('all bytes of an answer are passed on', () => {
  const whole = sse(ROLE, HELLO, STOP, '[DONE]');

  test.each<[string, (response: ServerResponse) => void]>([
    ['in one packet', saying(EVENTS, whole)],
    [
      'in one packet with its end',
      (response) => {
        response.writeHead(200, { 'content-type': EVENTS });
        response.end(whole);
      },
    ],
    ['byte for byte', saying(EVENTS, ...whole)],
    ['with a pause after its announcement', saying(EVENTS, sse(ROLE), 60, sse(HELLO, STOP, '[DONE]'))],
    ['that announces itself for long', saying(EVENTS, sse(ROLE), 700, sse(HELLO, STOP, '[DONE]'))],
    ['under text/plain', saying('text/plain; charset=utf-8', whole)],
    ['under application/octet-stream', saying('application/octet-stream', whole)],
    ['under no content type', saying(undefined, whole)],
    ['under application/json', saying('application/json', whole)],
  ])('%s', async (_, said) => {
    answer = said;
    const { by, said: passed, forwarded } = await ask(true);
    expect([by, passed]).toEqual(['odd', whole]);
    expect(forwarded).toMatchObject({ framing: 'sse' });
  });

  test('an error after some of it passes with the rest', async () => {
    answer = saying(EVENTS, sse(ROLE, HELLO), 20, sse(FAILED));
    expect(await ask(true)).toMatchObject({ by: 'odd', said: sse(ROLE, HELLO, FAILED) });
  });
});

test('JSON under text/plain is read as such, and a page is no answer', async () => {
  const body = JSON.stringify({
    id: 'c1',
    choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
  });
  answer = saying('text/plain', body);
  expect(await ask(true)).toMatchObject({ by: 'odd', said: body });
  answer = saying('text/plain', '<html>');
  expect(await ask(true)).toMatchObject({ by: 'next' });
});

describe('a job that is announced', () => {
  const JOB = { id: 'resp_1', object: 'response', status: 'queued', background: true };
  const created = sse({ type: 'response.created', sequence_number: 0, response: JOB });
  const ask = () =>
    running.send({
      stream: true,
      background: true,
      protocol: 'openai-responses',
      payload: createTestPayload({ model: 'm', input: 'Hello', background: true, stream: true }),
    });
  beforeEach(async () => {
    await running.close();
    const port = (server.address() as AddressInfo).port;
    const protocols = { protocols: ['openai-responses' as const] };
    running = startForwarding({
      protocol: 'openai-responses',
      model: { features: { background: 'free' } },
      upstreams: [
        upstream('odd', `http://127.0.0.1:${port}`, ['a'], { ...protocols, first_byte_timeout_ms: 20_000 }),
        upstream('next', next.url, ['b'], protocols),
      ],
      pool: { members: [{ upstream: 'odd' }, { upstream: 'next', priority: 1 }], attempts: 2 },
    });
  });

  test('stands: nobody else is asked for it, however long it says nothing more', async () => {
    answer = saying(EVENTS, created, 60_000);
    const asked = ask();
    expect(await measureAwake(asked)).toBeLessThan(2_900);
    const forwarded = await asked;
    expect(forwarded).toMatchObject({ kind: 'stream', announced: { response: JOB } });
    if (forwarded.kind === 'stream') forwarded.body.destroy();
  });

  test('in pieces is waited for until its name is whole', async () => {
    answer = saying(EVENTS, created.slice(0, 60), 900, created.slice(60), 60_000);
    const forwarded = await ask();
    expect(forwarded).toMatchObject({ kind: 'stream', announced: { response: JOB } });
    if (forwarded.kind === 'stream') {
      forwarded.body.once('readable', () => {});
      expect(String(forwarded.body.read())).toBe(created);
      forwarded.body.destroy();
    }
  });
});
