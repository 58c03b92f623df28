import { createHash } from 'node:crypto';
import type { Session, UsageEvent } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type Ground, startGround } from '../../testing/ground.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { snapshotWith, usageEvent } from '../../testing/usage-events.ts';
import { withJournal } from '../ledger/journal.ts';
import { customer, GRANTS } from '../ledger/ledger-accounts.ts';
import { closePeriod } from '../periods/close-period.ts';
import { postBatch } from '../usage/post-batch.ts';
import { postingOf } from '../usage/posting.ts';
import type { Statement } from './statement.ts';

const NAME = `<script>alert("1 & '2'")</script>`;
const prices = snapshotWith({ input: 2_500_000, output: 10_000_000 }, '1');
const snapshot = {
  ...prices,
  catalogue: {
    ...prices.catalogue,
    models: ['m', 'a-model'].flatMap((name) => prices.catalogue.models.map((model) => ({ ...model, name }))),
  },
};

let ground: Ground;
let billing: RunningBilling;
let member: Session;
const cookies = { member: '', finance: '', other: '' };

async function post(events: readonly Partial<UsageEvent>[]): Promise<void> {
  const postings = events.map((of) => {
    const result = postingOf(usageEvent({ account_id: member.account_id, ...of }), snapshot);
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  });
  await postBatch(ground.database, postings, []);
}

beforeAll(async () => {
  ground = await startGround();
  billing = await startBillingOn(ground);
  member = await addPerson(ground, 'member@billing.example', 'member');
  await addPerson(ground, 'finance@billing.example', 'finance');
  await addPerson(ground, 'other@billing.example', 'member');
  for (const who of ['member', 'finance', 'other'] as const)
    cookies[who] = await signIn(billing.url, `${who}@billing.example`);
  await ground.database.query(
    `UPDATE billing.account SET created_at = '2025-09-10T00:00:00Z', name = $2, time_zone = 'Asia/Kathmandu'
     WHERE id = $1`,
    [member.account_id, NAME],
  );
  await withJournal(ground.database, ({ append }) =>
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
    { occurred_at: '2025-09-12T00:00:00.000Z', tokens: { input: 3, output: 1_500 } },
    { occurred_at: '2025-09-13T00:00:00.000Z', upstream: 'west', tokens: { input: 4 } },
    { occurred_at: '2025-09-13T00:00:00.000Z', model: 'a-model', tokens: { output: 2 } },
    // In Kathmandu this is the first of October.
    { occurred_at: '2025-09-30T18:15:00.000Z', tokens: { input: 100_000 } },
  ]);
});
afterAll(async () => {
  await billing.stop();
  await ground.stop();
});

const statement = (path: string, who: keyof typeof cookies = 'member') =>
  call<Statement>({ url: billing.url, cookie: cookies[who] }, 'GET', `/api/statements/${path}`);
const page = (path: string) =>
  fetch(`${billing.url}/api/statements/${path}`, { headers: { cookie: cookies.member } });

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
  expect((await statement('2025-10')).body).toMatchObject({ ...OCTOBER, status: 'open' });
  expect((await statement('2025-11')).body).toMatchObject({
    opening_balance_usd: '1.7349625',
    closing_balance_usd: '1.7349625',
    lines: [],
  });
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
  expect(html).toContain('as of ledger transaction 5');
});

test('once it is closed it says so with its hash, and stays as it is whatever comes late', async () => {
  const by = { actor: 'a@b.example', reason: 'month-end' };
  const { hash } = await closePeriod(ground.database, member.account_id, '2025-09', by);
  const { body: closed } = await statement('2025-09');
  expect(closed).toMatchObject({ ...SEPTEMBER, status: 'closed', hash, as_of_number: null });
  await post([{ occurred_at: '2025-09-12T00:00:00.000Z', tokens: { input: 1 } }]);
  expect((await statement('2025-09')).body).toEqual(closed);
  expect((await statement('2025-10')).body).toMatchObject({
    ...OCTOBER,
    usage_usd: '0.2500025',
    closing_balance_usd: '1.73496',
  });
  expect(await (await page('2025-09?format=html')).text()).toContain(`SHA-256 of the period: ${hash}`);
});
