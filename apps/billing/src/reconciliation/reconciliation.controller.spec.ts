import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { waitFor } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting, type Posting } from '../usage/posting.ts';

const snapshot = snapshotWith({}, '1');

/** A posting for which the upstream charges the given amount; null is not known. */
function posting(upstreamCostPico: bigint | null, of: EventFields): Posting {
  const result = computePosting(usageEvent(of), snapshot);
  if (!result.ok) throw new Error(result.reason);
  return { ...result.value, upstreamCostPico };
}

let environment: TestEnvironment;
let billing: RunningBilling;
const cookies = { finance: '', member: '' };

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  for (const role of ['finance', 'member'] as const) {
    await addPerson(environment, `${role}@billing.example`, role);
    cookies[role] = await signIn(billing.url, `${role}@billing.example`);
  }
  await postBatch(
    environment.database,
    [
      posting(30_000_000_000n, {
        occurred_at: '2026-10-01T12:00:00.000Z',
        tokens: { input: 10, cache_read: 4, output: 5 },
      }),
      posting(20_000_000_000n, {
        occurred_at: '2026-10-01T13:00:00.000Z',
        tokens: { input_image: 3, cache_write: 2, output_reasoning: 1 },
      }),
      posting(null, { occurred_at: '2026-10-02T12:00:00.000Z' }),
      posting(5_000_000_000n, { occurred_at: '2026-10-01T14:00:00.000Z', lost: 'timeout' }),
      posting(5_000_000_000n, { occurred_at: '2026-10-03T14:00:00.000Z', lost: 'timeout' }),
      posting(1n, { occurred_at: '2026-10-01T12:00:00.000Z', upstream: 'west' }),
      // In Kathmandu this is the third.
      posting(7n, { occurred_at: '2026-10-02T18:15:00.000Z', upstream: 'north' }),
      posting(7n, { occurred_at: '2026-10-02T18:14:59.999Z', upstream: 'north' }),
      posting(7n, { occurred_at: '2026-10-03T18:15:00.000Z', upstream: 'north' }),
    ],
    [],
  );
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

interface Kept {
  readonly id: string;
  readonly summary: object;
  readonly rows: readonly object[];
  readonly error?: { readonly message: string; readonly param: string | null };
}

async function send(
  query: Record<string, string>,
  file: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Kept }> {
  const answer = await fetch(
    `${billing.url}/api/finance/reconciliations?${new URLSearchParams(query).toString()}`,
    {
      method: 'POST',
      headers: { cookie: cookies.finance, 'content-type': 'text/csv', ...headers },
      body: file,
    },
  );
  return { status: answer.status, body: (await answer.json()) as Kept };
}
const get = (path: string, who: keyof typeof cookies = 'finance') =>
  call<Kept & { items: Kept[] }>(
    { url: billing.url, cookie: cookies[who] },
    'GET',
    `/api/finance/reconciliations${path}`,
  );

const FILE = [
  'Date,Model ID,requests,input_tokens,cached_tokens,output_tokens,amount_usd',
  '2026-10-01,m-upstream,2,15,4,6,0.0501',
  '2026-10-01,other,1,1,0,1,0.01',
  '',
].join('\n');
const NAMES = { 'column.day': 'Date', 'column.model': 'Model ID' };

test('an invoice is compared with our usage by model and day, kept, and shown later', async () => {
  const { status, body } = await send(
    { upstream: 'east', tolerance_percent: '0.2', last_day: '2026-10-02', ...NAMES },
    FILE,
  );
  expect(status).toBe(201);
  expect(body).toMatchObject({
    actor: 'finance@billing.example',
    upstream: 'east',
    time_zone: 'UTC',
    first_day: '2026-10-01',
    last_day: '2026-10-02',
    file_sha256: createHash('sha256').update(FILE).digest('hex'),
    file_bytes: FILE.length,
    as_of_number: 9,
    parameters: { lines: 2, tolerance_percent: '0.2', columns: { day: 'Date', model: 'Model ID' } },
    summary: {
      rows: { ok: 1, differs: 0, only_ours: 1, only_theirs: 1 },
      totals: {
        ours: { requests: 3, amount_usd: '0.05' },
        theirs: { requests: 3, amount_usd: '0.0601' },
        difference: { requests: 0, amount_usd: '-0.0101' },
        requests_of_unknown_cost: 1,
      },
      lost_attempts: { attempts: 1, amount_usd: '0.005' },
    },
    rows: [
      {
        day: '2026-10-01',
        model: 'm-upstream',
        status: 'ok',
        ours: { requests: 2, input_tokens: 15, cached_tokens: 4, output_tokens: 6, amount_usd: '0.05' },
        theirs: { requests: 2, input_tokens: 15, cached_tokens: 4, output_tokens: 6, amount_usd: '0.0501' },
        difference: {
          requests: 0,
          input_tokens: 0,
          cached_tokens: 0,
          output_tokens: 0,
          amount_usd: '-0.0001',
        },
      },
      { day: '2026-10-01', model: 'other', status: 'only_theirs', ours: null },
      { day: '2026-10-02', status: 'only_ours', theirs: null, requests_of_unknown_cost: 1 },
    ],
  });
  expect((await get(`/${body.id}`)).body).toEqual(body);
  const { rows: _rows, ...summary } = body;
  expect((await get('?upstream=east')).body.items).toEqual([summary]);
  expect((await get('?upstream=west')).body.items).toEqual([]);
});

test('input tokens may count those of the cache too', async () => {
  const file = 'day,model,input_tokens,amount_usd\n2026-10-01,m-upstream,19,0.05\n';
  const { body } = await send({ upstream: 'east', input_includes_cached: 'true' }, file);
  expect(body.rows).toMatchObject([{ status: 'ok', difference: { input_tokens: 0, cached_tokens: null } }]);
});

test("days are those of the upstream's time zone", async () => {
  const file = 'day,model,requests,amount_usd\n2026-10-03,m-upstream,1,0.000000000007\n';
  const { body } = await send({ upstream: 'north', time_zone: 'Asia/Kathmandu' }, file);
  expect(body.rows).toMatchObject([{ day: '2026-10-03', status: 'ok' }]);
});

test.each<[string, Record<string, string>, string, string]>([
  ['no upstream', {}, FILE, 'say whose invoice'],
  ['a time zone that is none', { upstream: 'east', time_zone: 'Mars/Base' }, FILE, 'IANA name'],
  ['a tolerance that is none', { upstream: 'east', tolerance_percent: '1e3' }, FILE, 'tolerance_percent'],
  ['columns that are not there', { upstream: 'east' }, FILE, 'there is no column "day"'],
  [
    'days outside of those that were given',
    { upstream: 'east', first_day: '2026-10-02', ...NAMES },
    FILE,
    'outside of first_day to last_day',
  ],
  ['an empty file', { upstream: 'east' }, '', 'no lines'],
])('%s is refused', async (_what, query, file, message) => {
  const { status, body } = await send(query, file);
  expect([status, body.error?.message]).toEqual([400, expect.stringContaining(message)]);
});

test('only finance, signed in, of this site, sends a file', async () => {
  const query = { upstream: 'east', ...NAMES };
  expect((await send(query, FILE, { cookie: cookies.member })).status).toBe(403);
  expect((await send(query, FILE, { cookie: '' })).status).toBe(401);
  const status = (state: string) =>
    environment.database.query(
      `UPDATE billing.app_user SET status = $1 WHERE email = 'finance@billing.example'`,
      [state],
    );
  await status('disabled');
  expect((await send(query, FILE)).status).toBe(401);
  await status('active');
  expect((await send(query, FILE, { origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await send(query, FILE, { 'content-type': 'text/plain' })).status).toBe(400);
  expect((await get('', 'member')).status).toBe(403);
  expect((await get('/0198f1c2-7d1e-7000-8000-000000000001', 'member')).status).toBe(403);
  expect((await get('/0198f1c2-7d1e-7000-8000-000000000001')).status).toBe(404);
});

test('a file of more than a megabyte is read', async () => {
  const line = `2026-10-01,m-upstream,0,0,0,0,0\n`;
  const { status, body } = await send({ upstream: 'east', ...NAMES }, FILE + line.repeat(50_000));
  expect([status, body.rows.length]).toEqual([201, 2]);
});

const ENDLESS = `day,model,amount_usd\n2026-10-01,"${'x'.repeat(3_000_000)}`;
test.each<[string, string, string, string, number]>([
  ['a field without an end', 'text/csv', '/api/finance/reconciliations?upstream=east', ENDLESS, 400],
  ['no such column', 'text/csv', '/api/finance/reconciliations?upstream=east', `x\n${ENDLESS}`, 400],
  ['no upstream', 'text/csv', '/api/finance/reconciliations', ENDLESS, 400],
  ['another type', 'text/plain', '/api/finance/reconciliations', ENDLESS, 413],
  ['a route that takes no file', 'text/csv', '/api/keys', ENDLESS, 400],
  ['a route that is not there', 'text/csv', '/api/nowhere', ENDLESS, 404],
  ['JSON that is too large', 'application/json', '/api/keys', ENDLESS, 413],
])(
  'after a large file was refused (%s) the connection serves the next request, or is closed',
  async (_what, type, path, file, status) => {
    const { hostname, port } = new URL(billing.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    let closed = false;
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.on('error', () => {}).on('close', () => (closed = true));
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: x',
      `cookie: ${cookies.finance}`,
      `content-type: ${type}`,
      `content-length: ${Buffer.byteLength(file)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${file}`);
    await waitFor(() => received.includes('}'), 'the refusal');
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await waitFor(() => received.includes('HTTP/1.1 200 ') || closed, 'an answer to the next request');
    socket.destroy();
  },
);

test('a kept comparison cannot be changed', async () => {
  await send({ upstream: 'east', ...NAMES }, FILE);
  await expect(environment.database.query(`UPDATE billing.reconciliation SET actor = 'x'`)).rejects.toThrow(
    'append-only',
  );
});
