import { createHash } from 'node:crypto';
import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { type EventFields, snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { withJournal } from '../ledger/journal.ts';
import { customer, GRANTS } from '../ledger/ledger-accounts.ts';
import { closePeriod } from '../periods/close-period.ts';
import { postBatch } from '../usage/post-batch.ts';
import { computePosting } from '../usage/posting.ts';
import type { Statement } from './statement.ts';
import type { KeyLine } from './statement-keys.ts';
import type { StatementSummary } from './statement-list.ts';

const NAME = `<script>alert("1 & '2'")</script>`;
const OTHER_KEY = '0198f1c2-7d1e-7000-8000-0000000000aa';
const prices = snapshotWith({ input: 2_500_000, output: 10_000_000 }, '1');
const snapshot = {
  ...prices,
  catalogue: {
    ...prices.catalogue,
    models: ['m', 'a-model'].flatMap((name) => prices.catalogue.models.map((model) => ({ ...model, name }))),
  },
};

let environment: TestEnvironment;
let billing: RunningBilling;
let member: Session;
const cookies = { member: '', finance: '', other: '' };

async function post(events: readonly EventFields[]): Promise<void> {
  const postings = events.map((of) => {
    const result = computePosting(usageEvent({ account_id: member.account_id, ...of }), snapshot);
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  });
  await postBatch(environment.database, postings, []);
}

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  member = await addPerson(environment, 'member@billing.example', 'member');
  await addPerson(environment, 'finance@billing.example', 'finance');
  await addPerson(environment, 'other@billing.example', 'member');
  for (const who of ['member', 'finance', 'other'] as const)
    cookies[who] = await signIn(billing.url, `${who}@billing.example`);
  await environment.database.query(
    `UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z', name = $2, time_zone = 'Asia/Kathmandu'
     WHERE id = $1`,
    [member.account_id, NAME],
  );
  await environment.database.query(
    `INSERT INTO billing.api_key (id, account_id, name, key_hash, masked, group_name)
     VALUES ($1, $2, 'Nightly', repeat('0', 64), 'sk-a…b', 'default')`,
    [OTHER_KEY, member.account_id],
  );
  await withJournal(environment.database, ({ append }) =>
    append([
      {
        kind: 'grant',
        accountId: member.account_id,
        occurredAt: '2025-09-11T00:00:00.000Z',
        idempotencyKey: 'grant',
        actor: 'a@b.example',
        reason: 'welcome',
        entries: [
          { ledgerAccount: GRANTS, amountPico: -2_000_000_000_000n },
          { ledgerAccount: customer(member.account_id), amountPico: 2_000_000_000_000n },
        ],
      },
    ]),
  );
  await post([
    { occurred_at: '2025-09-12T00:00:00.000Z', key_id: OTHER_KEY, tokens: { input: 3, output: 1_500 } },
    { occurred_at: '2025-09-13T00:00:00.000Z', upstream: 'west', tokens: { input: 4 } },
    { occurred_at: '2025-09-13T00:00:00.000Z', model: 'a-model', tokens: { output: 2 } },
    // In Kathmandu this is the first of October.
    { occurred_at: '2025-09-30T18:15:00.000Z', tokens: { input: 100_000 } },
  ]);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const statement = (path: string, who: keyof typeof cookies = 'member') =>
  call<Statement>({ url: billing.url, cookie: cookies[who] }, 'GET', `/api/statements/${path}`);
const list = (query = '', who: keyof typeof cookies = 'member') =>
  call<{ items: StatementSummary[] }>(
    { url: billing.url, cookie: cookies[who] },
    'GET',
    `/api/statements${query}`,
  );
const page = (path: string) =>
  fetch(`${billing.url}/api/statements/${path}`, { headers: { cookie: cookies.member } });

/** Such as "2025-09", up to the month that it is now in Kathmandu. */
function monthsSince(first: string): string[] {
  const now = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Asia/Kathmandu',
    year: 'numeric',
    month: '2-digit',
  });
  const months = [first];
  while (months.at(-1) !== now.format(new Date())) {
    const [year = 0, month = 0] = (months.at(-1) ?? '').split('-').map(Number);
    months.push(new Date(Date.UTC(year, month)).toISOString().slice(0, 7));
  }
  return months;
}

const SEPTEMBER = {
  month: '2025-09',
  time_zone: 'Asia/Kathmandu',
  from: '2025-08-31T18:15:00.000Z',
  to: '2025-09-30T18:15:00.000Z',
  opening_balance_usd: '0.00',
  lines: [
    { model: 'a-model', requests: 1, tokens: { output: 2 }, cost_usd: '0.00002' },
    { model: 'm', requests: 2, tokens: { input: 7, output: 1_500 }, cost_usd: '0.0150175' },
  ],
  usage_usd: '0.0150375',
  movements: [{ kind: 'grant', transactions: 1, amount_usd: '2.00' }],
  closing_balance_usd: '1.9849625',
};
const OCTOBER = {
  month: '2025-10',
  opening_balance_usd: '1.9849625',
  usage_usd: '0.25',
  movements: [],
  closing_balance_usd: '1.7349625',
};

test('an open month shows what is booked so far, and up to which transaction', async () => {
  expect((await statement('2025-09')).body).toMatchObject({
    ...SEPTEMBER,
    account: { id: member.account_id, name: NAME },
    status: 'open',
    hash: null,
    as_of_number: 5,
  });
  const rounded = { usage_rounded_usd: '0.02', closing_balance_rounded_usd: '1.98' };
  expect((await statement('2025-09')).body).toMatchObject(rounded);
  expect((await statement('2025-10')).body).toMatchObject({ ...OCTOBER, status: 'open' });
  expect((await statement('2025-11')).body).toMatchObject({
    opening_balance_usd: '1.7349625',
    closing_balance_usd: '1.7349625',
    lines: [],
  });
});

test('the list has every month that has begun, newest first, each beginning with what the one before left', async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  const [first, second, ...later] = body.items.toReversed();
  expect(body.items.map(({ month }) => month)).toEqual(monthsSince('2025-09').toReversed());
  expect(first).toEqual({
    month: '2025-09',
    time_zone: 'Asia/Kathmandu',
    from: SEPTEMBER.from,
    to: SEPTEMBER.to,
    status: 'open',
    opening_balance_usd: '0.00',
    usage_usd: '0.0150375',
    credit_usd: '2.00',
    closing_balance_usd: '1.9849625',
    requests: 3,
    closed_at: null,
    hash: null,
    previous_hash: null,
  });
  expect(second).toMatchObject({
    month: '2025-10',
    from: SEPTEMBER.to,
    opening_balance_usd: '1.9849625',
    usage_usd: '0.25',
    credit_usd: '0.00',
    closing_balance_usd: '1.7349625',
    requests: 1,
  });
  for (const month of later)
    expect(month).toMatchObject({
      opening_balance_usd: '1.7349625',
      closing_balance_usd: '1.7349625',
      requests: 0,
    });
});

test('a list of a few months begins with the same balance', async () => {
  const all = (await list()).body.items;
  expect((await list('?limit=2')).body.items).toEqual(all.slice(0, 2));
  expect((await list('?limit=0')).status).toBe(400);
});

test('people list the months of their own account, finance those of all', async () => {
  const of = `?account_id=${member.account_id}`;
  expect((await list(of, 'other')).status).toBe(403);
  expect((await list(of, 'finance')).body).toEqual((await list()).body);
  expect((await list('', 'other')).body.items).toHaveLength(1);
  expect((await statement(`2025-09/keys${of}`, 'other')).status).toBe(403);
});

test('a month is told by key, deleted ones too, and the sum is its usage', async () => {
  const { body } = await call<{ items: KeyLine[] }>(
    { url: billing.url, cookie: cookies.member },
    'GET',
    '/api/statements/2025-09/keys',
  );
  expect(body.items).toEqual([
    {
      key_id: OTHER_KEY,
      name: 'Nightly',
      masked: 'sk-a…b',
      is_deleted: false,
      requests: 1,
      tokens: 1_503,
      units: {},
      cost_usd: '0.0150075',
    },
    {
      key_id: expect.any(String) as string,
      name: '',
      masked: '',
      is_deleted: true,
      requests: 2,
      tokens: 6,
      units: {},
      cost_usd: '0.00003',
    },
  ]);
});

test.each(['2025-08/keys', '2199-01/keys'])('there are no keys of %s', async (month) => {
  expect((await statement(month)).status).toBe(404);
});

test.each(['2025-08', '2199-01'])('there is no statement of %s', async (month) => {
  expect((await statement(month)).status).toBe(404);
});

test.each(['2025-9', '2025-13', 'now'])('%s is no month', async (month) => {
  expect((await statement(month)).status).toBe(400);
});

test('people see the statement of their own account, finance those of all', async () => {
  const of = `2025-09?account_id=${member.account_id}`;
  expect((await statement(of, 'other')).status).toBe(403);
  expect((await statement('2025-09', 'other')).status).toBe(404);
  expect((await statement(of, 'finance')).body).toEqual((await statement('2025-09')).body);
});

test('the page has the same figures, escaped, and may load and run nothing', async () => {
  const answer = await page('2025-09?format=html');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await answer.text();
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(answer.headers.get('content-security-policy')).toContain(
    `default-src 'none'; style-src 'sha256-${hash}'`,
  );
  expect(html).toContain('@page { size: A4;');
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;');
  const cells = [...html.matchAll(/<t[dh][^>]*>([^<]*)</g)].map(([, text]) => text);
  for (const text of ['input 7, output 1,500', '0.0150175', '0.0150375', '-0.0150375', '2.00', '1.9849625'])
    expect(cells).toContain(text);
  expect(html).toMatch(/>0\.02<span class="pad" aria-hidden="true">00000<[^]*as of ledger transaction 5/);
  expect(await (await page('2025-09?format=html&language=zh-CN')).text()).toContain('输入 7，输出 1,500');
});

test('once it is closed it says so with its hash, and stays as it is whatever comes late', async () => {
  const by = { actor: 'a@b.example', reason: 'month-end' };
  const { hash } = await closePeriod(environment.database, member.account_id, '2025-09', by);
  const { body: closed } = await statement('2025-09');
  expect(closed).toMatchObject({ ...SEPTEMBER, status: 'closed', hash, as_of_number: null });
  await post([{ occurred_at: '2025-09-12T00:00:00.000Z', tokens: { input: 1 } }]);
  expect((await statement('2025-09')).body).toEqual(closed);
  const listed = (await list()).body.items;
  expect(listed.map(({ month }) => month)).toEqual(monthsSince('2025-09').toReversed());
  expect(listed.at(-1)).toMatchObject({
    status: 'closed',
    hash,
    previous_hash: null,
    closed_at: expect.any(String) as string,
    opening_balance_usd: '0.00',
    usage_usd: '0.0150375',
    credit_usd: '2.00',
    closing_balance_usd: '1.9849625',
    requests: 3,
  });
  expect(listed.at(-2)).toMatchObject({ month: '2025-10', status: 'open', closing_balance_usd: '1.73496' });
  expect((await statement('2025-10')).body).toMatchObject({
    ...OCTOBER,
    usage_usd: '0.2500025',
    closing_balance_usd: '1.73496',
  });
  expect(await (await page('2025-09?format=html')).text()).toContain(`SHA-256 of the period: ${hash}`);
});
