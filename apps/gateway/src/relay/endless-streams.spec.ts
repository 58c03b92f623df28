// A stream of an upstream that never ends is converted for a client: what the client reads, and what is billed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { createMeter, type Metered } from '@tollgate/metering';
import { answerContext, createStateWrapper, createStreamConverter, PLAIN_NAMES } from '@tollgate/protocols';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { sendStream, type StreamEnd } from './send-stream.ts';

let server: Server;
beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const LIMIT = 100_000;
const states = createStateWrapper(Buffer.alloc(32, 1));
const STAYS = { gone: new AbortController().signal, ended: new AbortController().signal };

async function convert(client: ClientProtocol, upstream: PassThrough) {
  const over = Promise.withResolvers<{ end: StreamEnd; metered: Metered | undefined }>();
  const context = { model: 'm', states, framing: 'sse', includeUsage: true, keeping: undefined } as const;
  server.once('request', (_request, answer) => {
    const meter = createMeter('openai-chat', { stream: 'sse', requestEstimate: 7, whole: undefined });
    let metered: Metered | undefined;
    sendStream(answer, upstream, {
      protocol: client,
      framing: 'sse',
      rewriter: createStreamConverter(
        { from: client, to: 'openai-chat', names: PLAIN_NAMES, answer: answerContext(context) },
        'sse',
      ),
      meter,
      keepAliveMs: 60_000,
      eventLimitBytes: LIMIT,
      keptLimitBytes: LIMIT,
      departure: STAYS,
      onFirstByte: () => {},
      onFailed: over.reject,
      beforeEnd: async () => void (metered = meter.finish('upstream_cut')),
    }).then((end) => over.resolve({ end, metered }), over.reject);
  });
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const text = await answer.text();
  return { text, ...(await over.promise) };
}

const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`;

test.each(CLIENT_PROTOCOLS)(
  'an answer that never ends is ended for a client of %s with an error that says so, and what came is billed',
  async (client) => {
    const upstream = new PassThrough();
    const writing = setInterval(() => upstream.write(chunk('word '.repeat(200)).repeat(10)), 1);
    const { text, end, metered } = await convert(client, upstream);
    clearInterval(writing);
    expect(end).toEqual({ end: 'upstream_cut', read: 'cut' });
    expect(upstream.destroyed).toBe(true);
    expect(text).toContain('grown larger than one that is converted may be');
    expect(metered).toMatchObject({ tokens: { input: 7 }, source: 'estimated' });
    expect(metered?.tokens.output).toBeGreaterThan(LIMIT / 10);
  },
);
