// A rewriter that throws passes a stream of an upstream on to a client: what the client reads, what is billed, and what the
// log says.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { createMeter, type Metered } from '@tollgate/metering';
import { createLogger, createMetrics } from '@tollgate/platform';
import { createResponseRewriter, type ResponseRewriter } from '@tollgate/protocols';
import { send, withRelayTrail } from '../../testing/relay-trail.ts';
import { createRequestMetrics } from '../telemetry/request-metrics.ts';
import { watchRequest } from '../telemetry/request-watch.ts';
import { sendStream, type StreamEnd } from './send-stream.ts';

const CHUNK = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
const END = 'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
/** As parsers do, it quotes what it was given, which may look like a line of a stack. */
const fails = (): never => JSON.parse('\n    at secret') as never;

let server: Server;
let log: Record<string, unknown>[];
/** What becomes of the clients that are to come. */
let next: ((answer: ServerResponse) => void)[];
beforeEach(async () => {
  log = [];
  next = [];
  server = createServer((_request, answer) => next.shift()?.(answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const keepLog = () =>
  createLogger('gateway', 'warn', {
    write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>),
  });

interface Received {
  readonly text: string;
  readonly end: StreamEnd;
  readonly metered: Metered | undefined;
}

/** Passes a stream on to a client of its own, which `onReading` is told of. */
async function pass(
  rewriter: ResponseRewriter,
  upstream: PassThrough,
  onReading: () => void,
): Promise<Received> {
  const over = Promise.withResolvers<Omit<Received, 'text'>>();
  next.push((answer) => {
    const meter = createMeter('openai-chat', { stream: 'sse', requestEstimate: 7, whole: undefined });
    let metered: Metered | undefined;
    const watch = watchRequest(
      {
        metrics: createRequestMetrics(createMetrics('gateway')),
        tracer: undefined,
        logger: keepLog(),
        requests: { ended() {} },
      },
      { id: 'one', protocol: 'openai-chat', task: undefined, model: 'm', traceparent: undefined },
    );
    sendStream(answer, upstream, {
      protocol: 'openai-chat',
      framing: 'sse',
      rewriter,
      meter,
      keepAliveMs: 60_000,
      eventLimitBytes: 1_000_000,
      keptLimitBytes: 1_000_000,
      departure: { gone: new AbortController().signal, ended: new AbortController().signal },
      onFirstByte: () => {},
      onFailed: watch.streamFailed,
      beforeEnd: async () => void (metered = meter.finish('upstream_cut')),
    }).then((end) => over.resolve({ end, metered }), over.reject);
    onReading();
  });
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { text: await answer.text(), ...(await over.promise) };
}

const usual = (): ResponseRewriter => createResponseRewriter('openai-chat', { stream: 'sse' });

test.each<[when: string, rewriter: ResponseRewriter, breaksOff: boolean]>([
  ['when a chunk comes', { ...usual(), push: fails }, false],
  ['when its upstream ends', { ...usual(), end: fails }, false],
  ['when its upstream breaks off', { ...usual(), fail: fails }, true],
  ['when it names what our own event is about', { ...usual(), own: fails }, true],
  ['in all that it does', { push: fails, end: fails, fail: fails, own: fails, held: fails }, true],
])(
  'a stream whose rewriter throws %s ends with an error of its format',
  async (_when, rewriter, breaksOff) => {
    const upstream = new PassThrough();
    upstream.write(CHUNK);
    const { text, end, metered } = await pass(rewriter, upstream, () => {
      if (breaksOff) setImmediate(() => upstream.destroy(new Error('reset')));
      else upstream.end(END);
    });
    const [last, ...others] = text.split('\n\n').slice(-2);
    expect(JSON.parse(last?.replace('data: ', '') ?? '')).toMatchObject({
      error: {
        type: 'server_error',
        message: 'Something failed here. The operators can find it in the log.',
      },
    });
    expect(others).toEqual(['']);
    expect(end).toEqual({ read: 'failed', end: 'upstream_cut' });
    expect(metered).toMatchObject({ source: 'estimated', tokens: { input: 7, output: expect.any(Number) } });
    expect(log).toEqual([
      expect.objectContaining({
        level: 50,
        event: 'stream_failed',
        request_id: 'one',
        thrown: 'SyntaxError',
        at: expect.arrayContaining([expect.stringContaining('stream-failures.spec')]),
      }),
    ]);
    expect(JSON.stringify(log)).not.toMatch(/secret|Hello/);
  },
);

test('a chunk that nobody can pass on breaks its own stream, and no other that came in its turn', async () => {
  const upstreams: PassThrough[] = [];
  const sendIn = (rewriter: ResponseRewriter): Promise<Received> => {
    const upstream = new PassThrough();
    return pass(rewriter, upstream, () => {
      if (upstreams.push(upstream) === 2) for (const each of upstreams) each.end(CHUNK + END);
    });
  };
  const [broken, other] = [sendIn({ ...usual(), push: fails }), sendIn(usual())];
  const texts = (await Promise.all([broken, other])).map(({ text }) => text);
  expect(texts.filter((text) => text === CHUNK + END)).toHaveLength(1);
  expect(texts.filter((text) => text.includes('Something failed here'))).toHaveLength(1);
  expect(log).toHaveLength(1);
});

describe('through the relay', () => {
  withRelayTrail();

  test('a stream that is failed here is billed for what passed', async () => {
    const of = { path: '/v1/responses', body: { messages: undefined, input: 'Hello', stream: true } };
    const storedIds = { wrap: fails, unwrap: () => null };
    const trail = 'body, execution, hold, departure, upstream limits, published upstream_cut, hold charged';
    expect(await send(of, { storedIds })).toMatch(new RegExp(`^${trail}`));
  });
});
