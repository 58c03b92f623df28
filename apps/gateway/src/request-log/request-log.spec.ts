import { requestBatchSchema, type RequestBatch, type RequestRecord } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { createLogger, createMetrics } from '@tollgate/platform';
import fc from 'fast-check';
import { createPending } from './pending.ts';
import { createRequestLog } from './request-log.ts';
import { createSampler } from './sampler.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-00000000000a';
const OTHER = '0198f1c2-7d1e-7000-8000-00000000000b';
const end = { account_id: ACCOUNT, http_status: 429, error_code: 'rate_limit_exceeded', arrivedAt: 60_000 };
let made = 0;
const record = (of: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id: `req_${String((made += 1)).padStart(12, '0')}`,
  occurred_at: new Date(60_000).toISOString(),
  account_id: ACCOUNT,
  key_id: '0198f1c2-7d1e-7000-8000-0000000000aa',
  is_charged: false,
  model: 'm',
  operation: null,
  protocol: 'openai-chat',
  stream: false,
  http_status: 429,
  error_code: 'rate_limit_exceeded',
  message: 'The limit is reached.',
  limited_by: 'key',
  pool: null,
  attempts: [],
  first_byte_ms: null,
  latency_ms: 3,
  ...of,
});

/** Takes batches while it is there, each once as billing does. */
function takeBatches() {
  const taken = new Map<string, RequestBatch>();
  const billing = {
    isThere: true,
    losesAnswers: false,
    sent: 0,
    async request<T>(_pattern: string, payload: object, answer: { parse(value: unknown): T }): Promise<T> {
      billing.sent += 1;
      if (!billing.isThere) throw new Error('away');
      const batch = requestBatchSchema.parse(JSON.parse(JSON.stringify(payload)));
      taken.set(batch.id, taken.get(batch.id) ?? batch);
      if (billing.losesAnswers) throw new Error('no answer in time');
      return answer.parse(null);
    },
  };
  const all = () => [...taken.values()];
  return {
    billing,
    records: () => all().flatMap((batch) => batch.records),
    requests: () =>
      all()
        .flatMap(({ counts }) => counts)
        .reduce((sum, { requests }) => sum + requests, 0),
    recorded: () =>
      all()
        .flatMap(({ counts }) => counts)
        .reduce((sum, { recorded }) => sum + recorded, 0),
  };
}

function open(perMinute: number) {
  const books = takeBatches();
  const metrics = createMetrics('gateway');
  const log = createRequestLog({
    billing: books.billing,
    perMinute,
    metrics,
    logger: createLogger('test', 'silent'),
  });
  return { ...books, log, metrics };
}

test('of each account so many are kept a minute, and all of them are counted', async () => {
  const { log, records, requests, recorded } = open(20);
  for (let nth = 0; nth < 3_000; nth += 1) log.ended({ ...end, isCharged: false }, record());
  log.ended({ ...end, account_id: OTHER, isCharged: false }, record({ account_id: OTHER }));
  await log.close();
  const own = records().filter(({ account_id }) => account_id === ACCOUNT);
  expect(own).toHaveLength(20);
  // One that has failed little is not crowded out by one that fails much.
  expect(records()).toHaveLength(21);
  expect([requests(), recorded()]).toEqual([3_001, 21]);
});

test('whose request it was is not always known: then it is counted', async () => {
  const { log, records, requests } = open(20);
  log.ended(
    { ...end, account_id: null, http_status: 401, error_code: 'invalid_api_key', isCharged: false },
    undefined,
  );
  await log.close();
  expect([records(), requests()]).toEqual([[], 1]);
});

test('a request that was charged is not counted again, and its attempts do not crowd out failures', async () => {
  const { log, records, requests } = open(2);
  for (let nth = 0; nth < 5; nth += 1) log.ended({ ...end, isCharged: true }, record({ is_charged: true }));
  for (let nth = 0; nth < 2; nth += 1) log.ended({ ...end, isCharged: false }, record());
  await log.close();
  expect(
    records()
      .map(({ is_charged }) => is_charged)
      .sort(),
  ).toEqual([false, false, true, true]);
  expect(requests()).toBe(2);
});

test('what billing did not take is sent again; what it took without an answer is not counted twice', async () => {
  const { log, billing, records, requests } = open(100);
  billing.losesAnswers = true;
  log.ended({ ...end, isCharged: false }, record());
  await waitFor(async () => billing.sent === 1, 'the first try');
  log.ended({ ...end, isCharged: false }, record());
  billing.losesAnswers = false;
  await waitFor(async () => requests() === 2, 'both requests', 10_000);
  await log.close();
  expect([records().length, requests()]).toEqual([2, 2]);
});

test('while billing is away no more waits than may, and what is lost shows in a metric', async () => {
  const { log, billing, metrics } = open(100_000);
  billing.isThere = false;
  for (let nth = 0; nth < 2_500; nth += 1) log.ended({ ...end, isCharged: false }, record());
  await log.close();
  expect(await metrics.metrics()).toMatch(
    /tollgate_gateway_request_log_dropped_total\{what="record"[^}]*\} 500\n/,
  );
});

test('a bucket fills again in a minute', () => {
  const sampler = createSampler(2);
  const take = (now: number) => sampler.take('a', now);
  expect([0, 0, 0, 29_000, 30_000, 30_000].map(take)).toEqual([true, true, false, false, true, false]);
  expect([600_000, 600_000, 600_000].map(take)).toEqual([true, true, false]);
  expect(createSampler(0).take('a', 0)).toBe(false);
});

test('whatever comes, batches hold all of what was counted, and no more than may travel together', () => {
  const anEnd = fc.record({
    account_id: fc.constantFrom(ACCOUNT, OTHER, null),
    http_status: fc.constantFrom(400, 429, 502),
    error_code: fc.constantFrom('', 'a', 'b'),
    arrivedAt: fc.integer({ min: 0, max: 300_000 }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(anEnd, fc.boolean(), fc.boolean()), { maxLength: 60 }), (ends) => {
      const pending = createPending({ records: 10, counts: 12 });
      let [kept, counted, sent] = [0, 0, 0];
      const takeAll = () => {
        const batch = pending.takeBatch();
        if (!batch) return;
        requestBatchSchema.parse(batch);
        kept -= batch.records.length;
        sent += batch.counts.reduce((sum, { requests }) => sum + requests, 0);
      };
      for (const [each, isRecorded, isTaken] of ends) {
        if (isRecorded && pending.keep(record())) kept += 1;
        if (pending.count(each, false)) counted += 1;
        if (isTaken) takeAll();
      }
      takeAll();
      expect([kept, sent, pending.isEmpty()]).toEqual([0, counted, true]);
    }),
  );
});
