import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { waitFor } from '@tollgate/harness';
import { createLogger } from './logging.ts';
import { startTracing } from './tracing.ts';
import { tellsFailures } from './tracing-failures.ts';

const { lines, logger } = listen();
beforeEach(() => lines.splice(0));

function listen() {
  const lines: Record<string, unknown>[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n'))
      lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  return { lines, logger: createLogger('traced', 'info', destination) };
}

test('failures are said at once, then once a minute with what was lost, and so is their end', () => {
  let works = false;
  let now = 0;
  const exporter: SpanExporter = {
    export: (_spans, done) => done(works ? { code: 0 } : { code: 1, error: new Error('nobody there') }),
    shutdown: () => Promise.resolve(),
  };
  const telling = tellsFailures(exporter, logger, () => now);
  const codes: number[] = [];
  const send = (spans: number) =>
    telling.export(
      Array.from({ length: spans }, () => ({}) as ReadableSpan),
      ({ code }) => codes.push(code),
    );

  for (now = 0; now < 130_000; now += 1_000) send(2);
  expect(lines).toMatchObject([
    { msg: 'traces cannot be sent to the collector', reason: 'nobody there', spans: 2 },
    { msg: 'traces cannot be sent to the collector', spans: 120 },
    { msg: 'traces cannot be sent to the collector', spans: 120 },
  ]);
  works = true;
  send(1);
  send(1);
  works = false;
  send(3);
  expect(lines.slice(3)).toMatchObject([
    { msg: 'traces are sent to the collector again', spans: 18 },
    { msg: 'traces cannot be sent to the collector', spans: 3 },
  ]);
  expect(new Set(codes)).toEqual(new Set([0, 1]));
});

test('a collector that refuses is in the log of the service', async () => {
  const collector = createServer((request, response) => {
    request.resume();
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const config = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: 1 };
  const tracing = await startTracing('traced', config, 'edge', logger);
  try {
    tracing?.tracer.startSpan('one').end();
    const line = await waitFor(() => lines[0], 'the word of a failure', 20_000);
    expect(line).toMatchObject({ level: 40, msg: 'traces cannot be sent to the collector', spans: 1 });
    expect(String(line['reason'])).not.toBe('');
  } finally {
    await tracing?.close();
    collector.closeAllConnections();
    collector.close();
  }
});
