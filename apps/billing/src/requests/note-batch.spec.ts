import type { RequestBatch, RequestRecord } from '@tollgate/contracts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createRequestNotes } from './note-batch.ts';
import { removeOldRequests } from './request-retention.ts';

const DAY = '2026-11-20';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

let made = 0;
const recordAt = (time: string, of: Partial<RequestRecord> = {}): RequestRecord => ({
  request_id: `req_${String((made += 1)).padStart(12, '0')}`,
  occurred_at: time,
  account_id: uuidv7(),
  key_id: uuidv7(),
  is_charged: false,
  model: 'm',
  operation: null,
  protocol: 'openai-chat',
  stream: false,
  http_status: 502,
  error_code: 'upstream_error',
  message: 'The upstream failed.',
  limited_by: null,
  pool: null,
  attempts: [],
  first_byte_ms: null,
  latency_ms: 4,
  ...of,
});

const note = (of: Partial<RequestBatch>) =>
  createRequestNotes(environment.database).note({ id: uuidv7(), records: [], counts: [], ...of });

test('a batch that comes again is taken once, and batches of several gateways add up', async () => {
  const account_id = uuidv7();
  const count = {
    account_id,
    minute: `${DAY}T10:00:00.000Z`,
    http_status: 502,
    error_code: 'upstream_error',
    requests: 3,
    recorded: 1,
  };
  const batch = {
    id: uuidv7(),
    counts: [count],
    records: [recordAt(`${DAY}T11:00:00.000Z`, { account_id })],
  };
  const nullCount = { ...count, account_id: null };
  await Promise.all([
    note(batch),
    note(batch),
    note({ counts: [count] }),
    note({ counts: [nullCount, nullCount] }),
  ]);
  await note(batch);
  const rows = await environment.database.query(
    `SELECT account_id IS NULL AS unknown, requests::int, recorded::int FROM billing.request_minute
     WHERE error_code = 'upstream_error' ORDER BY 1`,
  );
  expect(rows).toEqual([
    { unknown: false, requests: 6, recorded: 2 },
    { unknown: true, requests: 6, recorded: 2 },
  ]);
});

test('what is older than it is kept for is removed, and nothing else', async () => {
  const account_id = uuidv7();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const count = { account_id, http_status: 400, error_code: 'invalid_request', requests: 1, recorded: 1 };
  await note({
    records: [9.9, 10.1].map((days) => recordAt(daysAgo(days), { account_id, model: `m${days}` })),
    counts: [9.9, 10.1].map((days) => ({ ...count, minute: daysAgo(days) })),
  });
  expect(await removeOldRequests(environment.database, 10)).toBeGreaterThanOrEqual(2);
  const rows = await environment.database.query(
    `SELECT r.model, m.requests::int FROM billing.request_record r JOIN billing.request_minute m USING (account_id)
     WHERE account_id = $1`,
    [account_id],
  );
  expect(rows).toEqual([{ model: 'm9.9', requests: 1 }]);
});
