import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { createMeter } from '@tollgate/metering';
import { createResponseRewriter, type ResponseRewriter } from '@tollgate/protocols';
import { watchResumable } from './departures.ts';
import { sendStream, type StreamEnd } from './send-stream.ts';

// Streams of answers that go on elsewhere, whoever reads them.

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
const ask = (options: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, options);

const EVENT = 'data: {"type":"response.output_text.delta","delta":"Hello","sequence_number":4}\n\n';

/** Sends it to whoever asks next. */
function serve(upstream: Readable, changes: Partial<ResponseRewriter> = {}): Promise<StreamEnd> {
  const over = Promise.withResolvers<StreamEnd>();
  server.on('request', (_request, answer: ServerResponse) => {
    sendStream(answer, upstream, {
      protocol: 'openai-responses',
      framing: 'sse',
      keepAliveMs: 60_000,
      eventLimitBytes: 1_000_000,
      keptLimitBytes: 1_000_000,
      departure: watchResumable(answer),
      meter: createMeter('openai-responses', { stream: 'sse', requestEstimate: 7 }),
      rewriter: { ...createResponseRewriter('openai-responses', { stream: 'sse' }), ...changes },
      onFirstByte: () => {},
      onFailed: () => {},
      beforeEnd: () => Promise.resolve(),
    }).then(over.resolve, over.reject);
  });
  return over.promise;
}

/** What a client reads of it before its connection ends or breaks. */
async function send(upstream: Readable, changes: Partial<ResponseRewriter> = {}) {
  const over = serve(upstream, changes);
  const asked = await ask();
  let text = '';
  const isWhole = await (async () => {
    for await (const bytes of asked.body ?? []) text += Buffer.from(bytes).toString();
  })().then(
    () => true,
    () => false,
  );
  return { text, isWhole, end: await over };
}

test('breaks as its upstream does: it has not failed', async () => {
  const upstream = new PassThrough();
  upstream.write(EVENT);
  // Not before somebody reads it: an error that nobody hears ends the process.
  server.once('request', () => setTimeout(() => upstream.destroy(new Error('reset')), 50));
  expect(await send(upstream)).toEqual({
    text: EVENT,
    isWhole: false,
    end: { read: 'cut', end: 'upstream_cut' },
  });
});

test('breaks where passing it on fails: it has not failed itself', async () => {
  const upstream = Readable.from([Buffer.from(EVENT)], { objectMode: false });
  const end = (): never => {
    throw new Error('nobody foresaw this');
  };
  expect(await send(upstream, { end })).toEqual({
    text: EVENT,
    isWhole: false,
    end: { read: 'failed', end: 'upstream_cut' },
  });
});

test('ends as its upstream does, which may have been cancelled', async () => {
  const upstream = Readable.from([Buffer.from(EVENT)], { objectMode: false });
  expect(await send(upstream)).toEqual({
    text: EVENT,
    isWhole: true,
    end: { read: 'whole', end: 'complete' },
  });
});

test('is read on for nobody', async () => {
  const upstream = new PassThrough();
  upstream.write(EVENT);
  const over = serve(upstream);
  const client = new AbortController();
  const asked = await ask(client);
  await asked.body?.getReader().read();
  client.abort();
  expect(await over).toEqual({ read: 'given_up', end: 'client_aborted' });
  expect(upstream.destroyed).toBe(true);
});
