import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { USAGE_QUEUE, type UsageEvent } from '@tollgate/contracts';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Locator } from 'playwright-core';
import { openBooks } from '../books.ts';
import { call } from '../call.ts';
import { grant } from '../credit/customers.ts';
import { makeOwnPool, ownName } from '../pools/own-pool.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { barriers, leave, openContext, takeSession, visit } from './browser.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const EMAIL = 'reader@statements.example';
const PASSWORD = 'correct horse battery staple';

const FINANCE = { email: 'books@statements.example', password: PASSWORD };

beforeAll(() => admin(at, 'POST', `/api/accounts/${at.accountId}/users`, { ...FINANCE, role: 'finance' }));
afterAll(() => books.close());

/** An account whose books began two months ago: the first month is closed, and this month has a request with three searches. */
async function openAccount(): Promise<{
  readonly accountId: string;
  readonly months: readonly string[];
  readonly model: string;
}> {
  const { model } = await makeOwnPool(
    at,
    { members: [{ upstream: 'simulator' }] },
    { model: { features: { web_search: 'priced' }, unit_prices: { searches: 10_000_000_000 } } },
  );
  const { id: accountId } = await admin(at, 'POST', '/api/accounts', { name: 'Reader' });
  const now = new Date();
  const monthsAgo = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
  const months = [0, 1, 2].map((ago) => monthsAgo(ago).toISOString().slice(0, 7));
  await books.one('UPDATE billing.account SET created_at = $2 WHERE id = $1', [accountId, monthsAgo(2)]);
  await admin(at, 'POST', `/api/accounts/${accountId}/users`, { email: EMAIL, password: PASSWORD });
  await admin(at, 'POST', '/api/periods/close', { account_id: accountId, month: months[2], reason: 'Test' });
  await grant(at, accountId, '5');
  const { key } = await makeKey(at, { account_id: accountId, name: 'Reports', group: model });
  const input = 'Look it up. [[sim {"searches":3}]]';
  const answer = await call(`${at.baseUrl}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, input, tools: [{ type: 'web_search' }], max_tool_calls: 20 },
  });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  await books.usage(answer.headers.get('x-request-id') ?? '');
  return { accountId, months, model };
}

/** An account that was opened ten days before this month, and used a million tokens at 3 USD four days later. */
async function openUsedAccount(name: string): Promise<{ readonly id: string; readonly before: string }> {
  const { model } = await makeOwnPool(
    at,
    { members: [{ upstream: 'simulator' }] },
    { model: { prices: { input: 3_000_000, output: 3_000_000 } } },
  );
  const { id } = await admin(at, 'POST', '/api/accounts', { name });
  const { id: keyId } = await makeKey(at, { account_id: id, name: 'Used before', group: model });
  const { version } = await admin(at, 'GET', '/api/catalogue');
  const opened = `date_trunc('month', now() AT TIME ZONE 'UTC') - interval '10 days'`;
  await books.one(`UPDATE billing.api_key SET created_at = ${opened} WHERE id = $1`, [keyId]);
  const { before = '', used = '' } = await books.one(
    `UPDATE billing.account SET created_at = ${opened} WHERE id = $1 RETURNING to_char(created_at, 'YYYY-MM') AS before,
       to_char(created_at + interval '4 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS used`,
    [id],
  );
  const event: UsageEvent = {
    v: 2,
    request_id: `req_${Date.parse(used).toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`,
    occurred_at: used,
    account_id: id,
    key_id: keyId,
    group: model,
    model,
    pool: model,
    upstream: 'simulator',
    upstream_model: model,
    protocol: 'openai-chat',
    stream: false,
    snapshot_version: version,
    lines: [{ model, counts: { input: 1_000_000 } }],
    usage_source: 'upstream',
    outcome: 'completed',
    http_status: 200,
    latency_ms: 900,
    first_byte_ms: 200,
  };
  const connection = new Redis(at.redisUrl, { maxRetriesPerRequest: null, replyMapping: 'legacy' });
  const queue = new Queue(USAGE_QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.add('usage', { events: [event] });
  await queue.close();
  connection.disconnect();
  await books.usage(event.request_id);
  return { id, before };
}

/** The 178 mm that the margins of A4 leave, at 96 dots an inch. */
const A4_PX = 673;

const SPOKEN = {
  'en-GB': {
    viewport: { width: 1440, height: 900 },
    find: 'Find accounts',
    table: 'Accounts by month',
    close: 'Close month',
    closing: 'Close a month',
    sure: /for good$/,
    closed: 'Closed',
    allMonths: 'All months',
    credit: 'Credit granted',
    byModel: 'Usage by model',
    print: 'Print or PDF',
    printed: 'Credit granted',
  },
  'zh-CN': {
    viewport: { width: 360, height: 740 },
    find: '查找账户',
    table: '各账户各月份',
    close: '关账',
    closing: '关账',
    sure: /^永久关闭/,
    closed: '已关账',
    allMonths: '所有月份',
    credit: '赠送额度',
    byModel: '按模型的用量',
    print: '打印或存为 PDF',
    printed: '赠送额度',
  },
} as const;

test.each(['en-GB', 'zh-CN'] as const)(
  'finance finds a customer among all, opens the month before, closes it and saves both months, in %s',
  async (locale) => {
    const words = SPOKEN[locale];
    const name = ownName('Stated');
    const { id, before } = await openUsedAccount(name);
    await grant(at, id, '7');
    const context = await openContext({
      viewport: words.viewport,
      locale,
    });
    const { page, complaints } = await visit(context);
    await takeSession(page, at.baseUrl, FINANCE);
    await page.goto(`${at.baseUrl}/statements?account=all&measure=credit`);
    await page.getByRole('searchbox', { name: words.find }).fill(name);
    const row = page.getByRole('table', { name: words.table }).getByRole('row').filter({ hasText: name });
    await row.getByText('$7.00').first().waitFor();
    const save = async (button: Locator) => {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
    };
    const months = await save(page.getByRole('link', { name: 'CSV' }));
    expect(months.name).toBe('months.csv');
    expect(months.text).toContain(`\r\n${id},${name},0.00,`);
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(words.viewport.width);

    // The month before, in which no credit was given, is at its end.
    await row.getByRole('link', { name: '$0.00' }).click();
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByRole('table', { name: words.byModel }).getByText('$3.00').first().waitFor();
    expect(new URL(page.url()).searchParams.get('month')).toBe(before);
    const closed = page.getByText(words.closed, { exact: true });
    const close = page.getByRole('button', { name: words.close });
    await close.click();
    const dialog = page.getByRole('dialog', { name: words.closing });
    await dialog.getByRole('checkbox', { name: words.sure }).check();
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    await closed.waitFor();
    await close.waitFor({ state: 'detached' });
    expect(await barriers(page)).toEqual([]);

    await page.getByRole('link', { name: words.allMonths }).click();
    await page.getByRole('table').getByRole('row').filter({ hasText: '$7.00' }).getByRole('link').click();
    await page.getByRole('table').filter({ hasText: words.credit }).waitFor();
    const statement = await save(page.getByRole('button', { name: 'CSV' }));
    expect(statement.name).toMatch(/^statement-\d{4}-\d\d\.csv$/);
    expect(statement.text).toContain(`${id},${name}`);
    expect(statement.text).toContain(',movement,grant,1,7');

    // What is printed is a page of its own, in the reader's language, as wide as paper is; the browser makes a PDF of it.
    const [printed] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: words.print }).click(),
    ]);
    await printed.getByText(words.printed).first().waitFor();
    await printed.getByText(name).first().waitFor();
    await printed.emulateMedia({ media: 'print' });
    await printed.setViewportSize({ width: A4_PX, height: 1_000 });
    expect(await printed.evaluate<number>('document.documentElement.scrollWidth')).toBe(A4_PX);
    const pdf = (await printed.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect([pdf.slice(0, 5), pdf.match(/\/Type \/Page\b/g)?.length]).toEqual(['%PDF-', 1]);
    await printed.close();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(words.viewport.width);
    await leave(context);
    expect(complaints).toEqual([]);
  },
  60_000,
);

test('the months of an account add up, one opens with its figures, and a closed one shows its seal', async () => {
  const { accountId, months, model } = await openAccount();
  const { items } = await admin(at, 'GET', `/api/statements?account_id=${accountId}`);
  expect(items.map(({ month, status }) => [month, status])).toEqual([
    [months[0], 'open'],
    [months[1], 'open'],
    [months[2], 'closed'],
  ]);
  const context = await openContext({ locale: 'en-US' });
  const { page, complaints } = await visit(context);
  await page.goto(`${at.baseUrl}/sign-in?next=/statements`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const table = page.getByRole('table', { name: 'Statements' });
  await table.waitFor();
  const name = (month = '') =>
    new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${month}-01`),
    );
  const newest = table.getByRole('row').filter({ hasText: name(months[0]) });
  expect(await newest.textContent()).toContain(`$${items[0]?.closing_balance_usd}`);
  expect(await newest.textContent()).toContain('$5.00');

  await newest.getByRole('link').click();
  await page.getByRole('heading', { name: name(months[0]), level: 1 }).waitFor();
  for (const [name, of] of [
    ['Usage by model', model],
    ['Usage by key', 'Reports'],
  ] as const) {
    const row = page.getByRole('table', { name }).getByRole('row').filter({ hasText: of });
    await row.getByText('3 searches').waitFor();
  }
  await page.getByRole('table', { name: 'Payments and credit' }).getByText('Credit granted').waitFor();
  await page.getByText('The month is open').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'JSON' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`statement-${months[0]}.json`);
  const [printed] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Print or PDF' }).click(),
  ]);
  await printed.getByRole('heading', { name: `Statement ${months[0]}` }).waitFor();
  // What the browser saves of it is what it prints: pages of A4.
  const pdf = (await printed.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.slice(0, 5)).toBe('%PDF-');
  expect(pdf).toMatch(/\/MediaBox \[0 0 59[45](?:\.\d+)? 84[12]/);
  await printed.close();

  await page.getByRole('link', { name: 'All months' }).click();
  await table.getByRole('link', { name: name(months[2]) }).click();
  await page.getByText(items[2]?.hash ?? 'no hash', { exact: true }).waitFor();
  await page.getByText('This is the first month of the account.').waitFor();
  await page.getByText('Nothing was used in this month.').first().waitFor();
  expect(await barriers(page)).toEqual([]);

  await page.goto(`${at.baseUrl}/home?range=24h`);
  await page.getByRole('heading', { name: 'Beside tokens' }).waitFor();
  const units = page.getByRole('listitem').filter({ hasText: 'Searches' });
  expect(await units.textContent()).toBe('Searches3');
  expect(complaints).toEqual([]);
  await leave(context);
});
