import { randomBytes } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin } from '../shared-stack.ts';
import {
  ask,
  makeOwnPool,
  type OwnSimulator,
  ownName,
  putUpstream,
  requestId,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import type { Collector, SeenSpan } from './collector.ts';
import { openOwnStack, type OwnStack } from './own-stack.ts';
import { requireUrl } from './scrape.ts';

let at: OwnStack;
let simulator: OwnSimulator;
let collector: Collector;
beforeAll(async () => {
  [at, simulator] = await Promise.all([openOwnStack(), startOwnSimulator()]);
  collector = at.collector;
}, 90_000);
afterAll(async () => {
  await at?.close();
  await simulator?.close();
});

const newTrace = (flags = '01') => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
};
const spansOf = (trace: string) => collector.spans().filter(({ traceId }) => traceId === trace);
const named = (spans: readonly SeenSpan[], start: string) =>
  spans.filter(({ name }) => name.startsWith(start));
const posted = (traceId: string) =>
  waitFor(() => named(spansOf(traceId), 'post to ledger')[0], 'the span of the posting', 20_000);

const stream = (traceparent: string | undefined, more: object = {}) =>
  call(`${at.baseUrl}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${at.apiKey}`, ...(traceparent ? { traceparent } : {}) },
    body: { ...GOOD.chat.body, stream: true, ...more },
  });

test('a stream is one trace, from its caller over the try at the upstream to its number in the ledger', async () => {
  const { traceId, spanId, traceparent } = newTrace();
  const answer = await stream(traceparent);
  expect(answer.status).toBe(200);
  const ledger = await posted(traceId);
  const spans = spansOf(traceId);
  expect(spans).toHaveLength(3);
  const [request] = spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  expect(request).toMatchObject({
    service: 'gateway',
    name: 'chat sim-chat',
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'sim-chat',
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'sim-chat',
      'http.response.status_code': 200,
      'tollgate.request_id': requestId(answer),
      'tollgate.outcome': 'completed',
    },
  });
  const books = openBooks(at.databaseUrl);
  const row = await books.usage(requestId(answer));
  await books.close();
  const attempt = spans.find((span) => span.service === 'gateway' && span !== request);
  expect(attempt).toMatchObject({
    parentSpanId: request?.spanId,
    attributes: {
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': row['upstream_model'],
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
      'gen_ai.usage.input_tokens': Number(row['tokens_input']),
      'gen_ai.usage.output_tokens': Number(row['tokens_output']),
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(requireUrl(at.stack, 'simulator')).port),
    },
  });
  expect(Object.keys(request?.attributes ?? {}).filter((name) => name.includes('usage.'))).toEqual([]);
  expect(ledger).toMatchObject({ service: 'billing', parentSpanId: request?.spanId });

  expect(ledger.attributes).toMatchObject({
    'tollgate.request_id': requestId(answer),
    'tollgate.ledger.number': Number(row['number']),
  });
  for (const span of spans) expect(span.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(request?.instance).toMatch(/-\d+$/);
  expect(ledger.instance).not.toBe(request?.instance);
});

test('the transaction that posts a batch has a trace of its own, linked with those of its requests', async () => {
  const { traceId, traceparent } = newTrace();
  await stream(traceparent);
  const ledger = await posted(traceId);
  const [link] = ledger.links;
  const batch = await waitFor(
    () => collector.spans().find(({ spanId }) => spanId === link?.spanId),
    'the span of the batch',
  );
  expect(batch.traceId).not.toBe(traceId);
  expect(batch.attributes['messaging.destination.name']).toBe('{usage}');
  expect(batch.links).toContainEqual({ traceId, spanId: ledger.parentSpanId });
});

test('every try is a span, and one that failed says with what', async () => {
  const [bad, good] = [ownName('bad'), ownName('good')];
  await putUpstream(at, bad, simulator.url, [], { credentials: [{ name: 'main', secret: 'bad-secret' }] });
  await putUpstream(at, good, simulator.url, [], { credentials: [{ name: 'main', secret: 'good-secret' }] });
  await simulator.script({ status: 503 }, { credential: 'bad-secret' });
  const own = await makeOwnPool(at, {
    members: [
      { upstream: bad, priority: 0 },
      { upstream: good, priority: 1 },
    ],
  });
  const { traceId, traceparent } = newTrace();
  await ask(at.baseUrl, own, { headers: { traceparent } });
  await posted(traceId);
  const attempts = spansOf(traceId).filter(({ attributes }) => attributes['tollgate.upstream'] !== undefined);
  const seen = attempts.map(({ failed, attributes }) => ({
    failed,
    upstream: attributes['tollgate.upstream'],
    status: attributes['http.response.status_code'],
    error: attributes['error.type'],
  }));
  expect(seen).toEqual([
    { failed: true, upstream: bad, status: 503, error: '503' },
    { failed: false, upstream: good, status: 200, error: undefined },
  ]);
});

test('a request that is refused has a span with the kind of the error, and no posting', async () => {
  const { traceId, traceparent } = newTrace();
  await stream(traceparent, { model: 'no-such-model' });
  const span = await waitFor(() => spansOf(traceId)[0], 'the span');
  expect(span).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'model_not_found', 'http.response.status_code': 400 },
  });
  expect(spansOf(traceId)).toHaveLength(1);
});

test.each([
  ['without a traceparent', undefined],
  ['with one that is none', '00-zz-1-01'],
  ['with one of zeros', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
])('a request %s begins a trace of its own', async (_name, traceparent) => {
  const answer = await stream(traceparent);
  const own = await waitFor(
    () =>
      collector
        .spans()
        .find(
          ({ service, attributes }) =>
            service === 'gateway' && attributes['tollgate.request_id'] === requestId(answer),
        ),
    'the span',
  );
  expect(own.parentSpanId).toBe('');
  await posted(own.traceId);
});

test('what a caller does not want traced is not, and is posted all the same', async () => {
  const { traceId, traceparent } = newTrace('00');
  const answer = await stream(traceparent);
  const books = openBooks(at.databaseUrl);
  await books.usage(requestId(answer));
  await books.close();
  // A later request's posting comes after whatever that one would have sent.
  const later = newTrace();
  await stream(later.traceparent);
  await posted(later.traceId);
  expect(spansOf(traceId)).toEqual([]);
});

test('a change of prices is one trace, from its admin over pricing to the gateways that take it up', async () => {
  const { traceId, spanId, traceparent } = newTrace();
  const changed = await call(`${at.baseUrl}/api/catalogue/vendors/traced`, {
    method: 'PUT',
    headers: { cookie: at.cookie, traceparent },
    body: {},
  });
  expect(changed.status).toBe(200);
  const spans = await waitFor(() => {
    const found = spansOf(traceId);
    return found.length >= 3 && found;
  }, 'the spans of the publication');
  const of = (name: string) => spans.find((span) => span.name === name);
  const version = Number(changed.json?.['version']);
  expect(of('publish prices')).toMatchObject({
    service: 'pricing',
    parentSpanId: spanId,
    failed: false,
    attributes: {
      'tollgate.snapshot.version': version,
      'tollgate.snapshot.changed': true,
      'tollgate.publication.reason': 'vendor traced',
    },
  });
  expect(of('take prices')).toMatchObject({
    service: 'gateway',
    parentSpanId: of('publish prices')?.spanId,
    failed: false,
    attributes: { 'tollgate.snapshot.version': version },
  });
  expect(of('answer with prices')).toMatchObject({
    service: 'pricing',
    parentSpanId: of('take prices')?.spanId,
  });
});

test('a publication that is refused has a span that failed, and one of a draft on its day a trace of its own', async () => {
  const { traceId, traceparent } = newTrace();
  const refused = await call(`${at.baseUrl}/api/catalogue/groups/traced`, {
    method: 'PUT',
    headers: { cookie: at.cookie, traceparent },
    body: { ratio: '1', models: ['no-such-model'] },
  });
  expect(refused.status).toBe(400);
  const span = await waitFor(() => spansOf(traceId)[0], 'the span of the refusal');
  expect(span).toMatchObject({ failed: true, attributes: { 'error.type': 'invalid' } });

  const draft = `/api/catalogue/drafts/traced`;
  const changes = [{ op: 'put', section: 'vendors', entry: { name: 'of-a-draft' } }];
  await admin(at, 'PUT', draft, { reason: 'a day to come', changes });
  const effective_at = new Date(Date.now() + 4_000).toISOString();
  await admin(at, 'PUT', `${draft}/schedule`, { effective_at });
  const published = await waitFor(
    () =>
      collector
        .spans()
        .find(({ attributes }) =>
          String(attributes['tollgate.publication.reason']).includes('a day to come'),
        ),
    'the span of the draft',
    20_000,
  );
  expect(published).toMatchObject({ service: 'pricing', parentSpanId: '', failed: false });
});

test('no span holds a secret', () => {
  const text = JSON.stringify(collector.spans());
  expect(text).not.toContain(at.apiKey);
  expect(text).not.toContain('good-secret');
});
