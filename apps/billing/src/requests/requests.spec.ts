// Batches as gateways send them go into a real database; people of several accounts ask for them over HTTP.
import type { AnswerOf, requests } from '@tollgate/api';
import { ALL_ACCOUNTS } from '@tollgate/api';
import type { RequestBatch, RequestRecord, Session } from '@tollgate/contracts';
import { formatUsd, parseUsd } from '@tollgate/money';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { CHARGED_AT, DAY, FAILED_AT, idAt, KEY, requestLog } from '../../testing/request-log.ts';
import { requestRecord } from '../../testing/request-records.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createRequestNotes } from './note-batch.ts';

type Page = AnswerOf<typeof requests.listRequests>;
type Entry = Page['items'][number];

let environment: TestEnvironment;
let billing: RunningBilling;
let member: Session;
let stranger: Session;
let cookies: { readonly member: string; readonly stranger: string; readonly owner: string };

const recordAt = (time: string, of: Partial<RequestRecord> = {}): RequestRecord =>
  requestRecord({
    request_id: idAt(time),
    occurred_at: time,
    account_id: member.account_id,
    key_id: KEY,
    ...of,
  });

const note = (of: Partial<RequestBatch>) =>
  createRequestNotes(environment.database).note({ id: uuidv7(), records: [], counts: [], ...of });

async function post(events: readonly EventFields[]): Promise<void> {
  const snapshot = snapshotWith({ input: 2_500_000 }, '1');
  const postings = events.flatMap((of) => {
    const result = computePosting(usageEvent(of), snapshot);
    return result.ok ? [result.value] : [];
  });
  expect(await postBatch(environment.database, postings, [])).toHaveLength(events.length);
}

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  member = await addPerson(environment, 'member@billing.example', 'member');
  stranger = await addPerson(environment, 'stranger@billing.example', 'member');
  cookies = {
    member: await signIn(billing.url, member.email),
    stranger: await signIn(billing.url, stranger.email),
    owner: await signIn(billing.url, environment.first.email),
  };
  await post([
    { account_id: member.account_id, key_id: KEY, request_id: idAt(CHARGED_AT), occurred_at: CHARGED_AT },
    {
      account_id: member.account_id,
      key_id: KEY,
      request_id: idAt(`${DAY}T09:00:00.000Z`),
      occurred_at: `${DAY}T09:00:00.000Z`,
      outcome: 'upstream_cut',
    },
    {
      account_id: stranger.account_id,
      request_id: idAt(`${DAY}T10:00:04.000Z`),
      occurred_at: `${DAY}T10:00:04.000Z`,
    },
  ]);
  await note(requestLog(recordAt, member.account_id, stranger.account_id));
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const ask = <T>(path: string, query: Record<string, string> = {}, cookie = cookies.member) =>
  call<T>({ url: billing.url, cookie }, 'GET', `${path}?${new URLSearchParams(query).toString()}`);
const list = async (query: Record<string, string> = {}, cookie = cookies.member): Promise<Entry[]> => {
  const { status, body } = await ask<Page>('/api/requests', query, cookie);
  expect([status, body]).toEqual([200, expect.anything()]);
  return [...body.items];
};
const show = (id: string, cookie = cookies.member) => ask<Entry>(`/api/requests/${id}`, {}, cookie);
const toTimes = (entries: readonly Entry[]) => entries.map(({ occurred_at }) => occurred_at.slice(11, 19));

test('all requests are one log, newest first, whatever became of them', async () => {
  const entries = await list();
  expect(toTimes(entries)).toEqual(['10:00:03', '10:00:02', '10:00:01', '10:00:00', '09:00:00']);
  expect(entries.map(({ outcome }) => outcome)).toEqual([
    'client_aborted',
    'failed',
    'completed',
    'failed',
    'upstream_cut',
  ]);
  expect(entries[2]?.charge).toMatchObject({ cost_usd: '0.0000075', tokens: { input: 3, output: 5 } });
  expect(entries[3]).toMatchObject({
    charge: null,
    limited_by: 'key',
    message: 'The limit of 5 requests per minute for this API key is reached.',
    account_name: 'Account of member@billing.example',
  });
});

test.each<[what: string, query: Record<string, string>, times: readonly string[]]>([
  ['a status', { status: '429' }, ['10:00:00']],
  ['a status of success', { status: '200' }, ['10:00:01', '09:00:00']],
  ['a class of statuses', { status: '4xx' }, ['10:00:03', '10:00:00']],
  ['another class', { status: '5xx' }, ['10:00:02']],
  ['all that failed', { status: 'error' }, ['10:00:02', '10:00:00', '09:00:00']],
  ['a code', { error_code: 'upstream_error' }, ['10:00:02']],
  ['the code of a cut stream', { error_code: 'upstream_cut' }, ['09:00:00']],
  ['a code and a status that it never has', { error_code: 'upstream_cut', status: '429' }, []],
  ['the limit that was hit', { limited_by: 'key' }, ['10:00:00']],
  ['a limit that none hit', { limited_by: 'model' }, []],
  ['a model', { model: 'n' }, ['10:00:02']],
  ['a key', { key_id: KEY }, ['10:00:03', '10:00:02', '10:00:01', '10:00:00', '09:00:00']],
  ['conversations', { operation: 'generate', status: 'error' }, ['10:00:00', '09:00:00']],
  ['an operation', { operation: 'embed' }, ['10:00:02']],
  ['an id', { request_id: idAt(FAILED_AT) }, ['10:00:02']],
  ['a time', { from: FAILED_AT, to: `${DAY}T10:00:03.000Z` }, ['10:00:02']],
  ['words of what was told', { message: 'FAILED with' }, ['10:00:02']],
  ['words that nobody was told', { message: '100%' }, []],
  ['two attempts or more', { min_attempts: '2' }, ['10:00:01']],
  ['an attempt or more', { min_attempts: '1' }, ['10:00:02', '10:00:01', '09:00:00']],
  ['a time to the first byte', { min_first_byte_ms: '8' }, ['10:00:01', '09:00:00']],
  ['a longer one', { min_first_byte_ms: '9' }, []],
  ['tokens', { min_tokens: '8' }, ['10:00:01', '09:00:00']],
  ['more tokens', { min_tokens: '9' }, []],
  ['a charge', { min_charge_usd: '0.0000075' }, ['10:00:01', '09:00:00']],
  ['a charge above it', { min_charge_usd: '0.000007500001' }, []],
  ['amounts together', { min_attempts: '2', min_tokens: '8', status: '2xx' }, ['10:00:01']],
  ['several at once', { status: 'error', model: 'm', from: `${DAY}T09:30:00Z` }, ['10:00:00']],
])('filtered by %s', async (_what, query, times) => {
  const entries = await list(query);
  expect(toTimes(entries)).toEqual(times);
  const { body } = await ask<object>('/api/requests/totals', query);
  const charges = entries.map(({ charge }) => parseUsd(charge?.cost_usd ?? '0'));
  expect(body).toMatchObject({
    requests: entries.length,
    failed: entries.filter(({ outcome }) => outcome === 'failed' || outcome === 'upstream_cut').length,
    charged_usd: formatUsd(charges.reduce((sum, charge) => sum + charge, 0n)),
  });
});

/** A figure that requests may be ordered by, of each. */
const FIGURES: Readonly<Record<string, (entry: Entry) => bigint | null>> = {
  time: ({ occurred_at }) => BigInt(Date.parse(occurred_at)),
  input: ({ charge }) => charge && BigInt(charge.tokens.input ?? 0),
  output: ({ charge }) => charge && BigInt(charge.tokens.output ?? 0),
  latency: ({ latency_ms }) => BigInt(latency_ms),
  status: ({ http_status }) => BigInt(http_status),
  cost: ({ charge }) => charge && parseUsd(charge.cost_usd),
};

/** The greatest first, and what has no such figure last. */
const byFigure = (of: (entry: Entry) => bigint | null, isDescending: boolean) => (a: Entry, b: Entry) => {
  const [x, y] = [of(a), of(b)];
  if (x === y) return a.request_id < b.request_id === isDescending ? 1 : -1;
  if (x === null || y === null) return x === null ? 1 : -1;
  return x < y === isDescending ? 1 : -1;
};

test.each(
  Object.keys(FIGURES).flatMap((column) =>
    ['', '-'].flatMap((minus) =>
      (['own', ALL_ACCOUNTS] as const).map((whose) => ({ sort: `${minus}${column}`, column, minus, whose })),
    ),
  ),
)(
  'pages by $sort of $whose join without a gap, however small they are',
  async ({ sort, column, minus, whose }) => {
    const [cookie, of] = whose === 'own' ? [cookies.member, {}] : [cookies.owner, { account_id: whose }];
    const newest = await list(of, cookie);
    const figure = FIGURES[column];
    if (!figure) throw new Error(`no figure ${column}`);
    const paged: Entry[] = [];
    let cursor: string | null = '';
    do {
      const query: Record<string, string> = { ...of, sort, limit: '2', ...(cursor === '' ? {} : { cursor }) };
      const page: Page = (await ask<Page>('/api/requests', query, cookie)).body;
      paged.push(...page.items);
      cursor = page.next;
    } while (cursor !== null);
    expect(newest.length).toBeGreaterThan(4);
    expect(paged).toEqual(newest.toSorted(byFigure(figure, minus === '-')));
  },
);

test('what comes while somebody leafs through an order moves none of its pages', async () => {
  const query = { account_id: ALL_ACCOUNTS, sort: '-latency', limit: '2' };
  const before = await list({ ...query, limit: '50' }, cookies.owner);
  const { body: first } = await ask<Page>('/api/requests', query, cookies.owner);
  const late = new Date(Date.now() + 1_000).toISOString();
  await note({ records: [recordAt(late, { latency_ms: 600_000 })] });
  const { body: second } = await ask<Page>(
    '/api/requests',
    { ...query, cursor: first.next ?? '' },
    cookies.owner,
  );
  expect([...first.items, ...second.items]).toEqual(before.slice(0, 4));
  await environment.database.query('DELETE FROM billing.request_record WHERE request_id = $1', [idAt(late)]);
});

test.each(['sort=charge', 'sort=-latency desc', 'sort=cost;drop'])('%s is refused', async (query) => {
  const { status } = await call(
    { url: billing.url, cookie: cookies.member },
    'GET',
    `/api/requests?${query}`,
  );
  expect(status).toBe(400);
});

test('operators see all accounts with who served them, and what was lost on the way', async () => {
  const all = await list({ account_id: ALL_ACCOUNTS }, cookies.owner);
  expect(toTimes(all)).toEqual([
    '10:00:05',
    '10:00:04',
    '10:00:03',
    '10:00:02',
    '10:00:01',
    '10:00:00',
    '09:00:00',
  ]);
  const [, , , failed, charged] = all;
  expect(failed?.serving).toMatchObject({ pool: 'main', upstream: 'east', margin_usd: null });
  expect(charged?.attempts.map(({ upstream, status }) => [upstream, status])).toEqual([
    ['east', 503],
    ['west', 200],
  ]);
  expect(charged?.serving).toMatchObject({ pool: 'main', upstream: 'east', upstream_model: 'm-upstream' });
  const ofEast = await list({ account_id: ALL_ACCOUNTS, upstream: 'east', status: 'error' }, cookies.owner);
  expect(toTimes(ofEast)).toEqual(['10:00:02', '09:00:00']);
});

test('nobody else sees who serves a model', async () => {
  const entries = await list();
  expect(entries.map(({ serving }) => serving)).toEqual(entries.map(() => null));
  const { body } = await show(idAt(CHARGED_AT));
  expect(body.attempts).toEqual([
    { upstream: null, upstream_model: null, result: 'status', status: 503, ms: 20 },
    { upstream: null, upstream_model: null, result: 'answered', status: 200, ms: 90 },
  ]);
  expect(JSON.stringify([entries, body])).not.toMatch(/east|west/);
  expect((await ask('/api/requests', { upstream: 'east' })).status).toBe(403);
});

test('a request is found by its id whatever became of it, by its own account and by operators', async () => {
  for (const time of [CHARGED_AT, FAILED_AT]) {
    expect((await show(idAt(time))).body).toMatchObject({ request_id: idAt(time) });
    expect((await show(idAt(time), cookies.owner)).body).toMatchObject({ request_id: idAt(time) });
    expect((await show(idAt(time), cookies.stranger)).status).toBe(404);
    expect(await list({ request_id: idAt(time) }, cookies.stranger)).toEqual([]);
  }
  expect((await show('req_unknown')).status).toBe(404);
});

test.each([
  ['/api/requests', () => member.account_id],
  ['/api/requests', () => ALL_ACCOUNTS],
  ['/api/requests/counts', () => member.account_id],
  ['/api/requests/counts', () => ALL_ACCOUNTS],
])('%s of others is refused', async (path, account) => {
  expect((await ask(path, { account_id: account() }, cookies.stranger)).status).toBe(403);
});

const SPAN = { from: `${DAY}T09:00:00Z`, to: `${DAY}T11:00:00Z` };

test('counts are of all requests, with or without a record', async () => {
  const { body } = await ask<AnswerOf<typeof requests.countRequests>>('/api/requests/counts', SPAN);
  expect(body).toMatchObject({ requests: 43, failed: 41, time_zone: 'UTC' });
  expect(body.series).toEqual([
    { http_status: 429, error_code: 'rate_limit_exceeded', requests: 40, recorded: 1, each: [0, 40] },
    { http_status: 200, error_code: null, requests: 1, recorded: 1, each: [0, 1] },
    { http_status: 200, error_code: 'upstream_cut', requests: 1, recorded: 1, each: [1, 0] },
    { http_status: 499, error_code: 'client_closed_request', requests: 1, recorded: 1, each: [0, 1] },
  ]);
  const all = await ask<AnswerOf<typeof requests.countRequests>>(
    '/api/requests/counts',
    { ...SPAN, account_id: ALL_ACCOUNTS, bucket: 'day' },
    cookies.owner,
  );
  expect(all.body).toMatchObject({ requests: 51, failed: 48 });
  const ofNobody = all.body.series.find(({ http_status }) => http_status === 401);
  expect(ofNobody).toMatchObject({ error_code: 'invalid_api_key', requests: 7, recorded: 0, each: [7] });
});
