// A request fails; the person whose key sent it looks for it in a real browser by the id that its answer had.
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { call, GOOD } from '../call.ts';
import { requestId } from '../pools/own-pool.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { waitFor } from '@tollgate/harness';
import { barriers, findPoints, leave, openContext, openDesk, takeSession, visit } from './browser.ts';
import { enterAs, inviteNewcomer } from './newcomer.ts';

const at = sharedStack();

const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/** One that its upstream refuses to serve. @returns its id, once it is in the log. */
const fail = (cookie: string): Promise<string> => ask(cookie, '[[sim {"status":500}]]', 502);
const succeed = (cookie: string): Promise<string> => ask(cookie, 'Hello', 200);

async function ask(cookie: string, content: string, status: number): Promise<string> {
  const own = { baseUrl: at.baseUrl, cookie };
  const { key } = await makeKey(own);
  const answer = await call(`${at.baseUrl}${GOOD.chat.path}`, {
    headers: { authorization: `Bearer ${key}` },
    body: { ...GOOD.chat.body, messages: [{ role: 'user', content }] },
  });
  expect(answer.status).toBe(status);
  const id = requestId(answer);
  await waitFor(() => admin(own, 'GET', `/api/requests/${id}`).catch(() => undefined), id, 15_000, 100);
  return id;
}

const SPOKEN = {
  'en-GB': {
    door: /^Search/,
    search: 'Search, or run a command',
    row: '502 Upstream error',
    drawer: 'Request',
    says: ['Not charged', 'Why it failed', 'Failed with 500', 'upstream_error'],
  },
  'zh-CN': {
    door: '搜索',
    search: '搜索，或执行操作',
    row: '502 上游错误',
    drawer: '请求',
    says: ['未收费', '失败原因', '失败，状态码 500', 'upstream_error'],
  },
} as const;

test.each([
  ['en-GB', { width: 1440, height: 900 }],
  ['zh-CN', { width: 390, height: 844 }],
] as const)(
  'a developer finds why a request failed from its id in two clicks, in %s',
  async (locale, viewport) => {
    const words = SPOKEN[locale];
    const context = await openContext({ viewport, locale });
    const { page, complaints } = await visit(context);
    const { cookie } = await enterAs(at, page, 'member');
    const id = await fail(cookie);
    await page.goto(`${at.baseUrl}/home`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // One click.
    await page.getByRole('button', { name: words.door }).click();
    await page.getByPlaceholder(words.search).fill(id);
    await page.getByRole('button', { name: id }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/usage?request=${id}`);
    // And another.
    await page.getByRole('row').filter({ hasText: words.row }).getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: words.drawer });
    await drawer.getByText('The upstream failed with status 500.').waitFor();
    const text = (await drawer.textContent()) ?? '';
    for (const said of [id, ...words.says]) expect(text).toContain(said);
    // Who serves a model is the operators' business.
    expect(text).not.toContain('simulator');
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate<boolean>(IS_TOO_WIDE)).toBe(false);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    // The whole list, as it is ordered and shown here, failed requests included.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('requests.csv');
    const rows = parse(await readFile(await download.path()), { columns: true }) as Record<string, string>[];
    expect(rows).toMatchObject([{ request_id: id, http_status: '502', error_code: 'upstream_error' }]);
    expect(complaints).toEqual([]);
    await leave(context);
  },
);

test('the log is ordered by the service, and shows the columns that are chosen', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const { cookie } = await enterAs(at, page, 'member');
  const failed = await fail(cookie);
  const cheap = await succeed(cookie);
  const charged = await ask(cookie, '[[sim {"usage":{"input":200,"output":0}}]]', 200);
  await page.goto(`${at.baseUrl}/usage`);
  const header = (name: string) => page.getByRole('columnheader', { name });
  const first = page.getByRole('row').nth(1);
  await first.getByText('Completed').waitFor();
  await header('Outcome').getByRole('button').click();
  await page.waitForURL('**/usage?sort=-status');
  await first.getByText('502 Upstream error').waitFor();
  expect(await header('Outcome').getAttribute('aria-sort')).toBe('descending');
  expect(await page.getByRole('switch', { name: 'Live' }).isDisabled()).toBe(true);
  await header('Charge').getByRole('button').click();
  await page.waitForURL('**/usage?sort=-cost');
  await first.getByText('Completed').waitFor();

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Request id' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Latency' }).click();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await first.getByText(charged).waitFor();
  await page.getByRole('row').nth(2).getByText(cheap).waitFor();
  await page.getByRole('row').nth(3).getByText(failed).waitFor();
  expect(await header('Latency').count()).toBe(0);
  const points = await findPoints(page);
  expect(new Set(points.map(({ text }) => text.length)).size).toBe(2);
  expect(new Set(points.map(({ left }) => left)).size).toBe(1);
  await page.getByText(/^3 requests, 1 failed · \$0\.00\d+ charged · /).waitFor();
  await page.goto(`${at.baseUrl}/usage?status=502`);
  await header('Request id').waitFor();
  await page.getByText('1 request, 1 failed · $0.00 charged · 0 tokens in, 0 out').waitFor();

  // Figures are asked for by their least, all together, and stand in the address.
  await page.goto(`${at.baseUrl}/usage`);
  await page.getByRole('button', { name: 'More filters' }).click();
  const tokens = page.getByRole('textbox', { name: 'Tokens, at least' });
  await tokens.fill('1,000');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a whole number, such as 500').waitFor();
  expect(await barriers(page)).toEqual([]);
  await tokens.fill('100');
  await page.keyboard.press('Enter');
  await page.getByText(/^1 request, 0 failed · /).waitFor();
  await page.getByRole('row').filter({ hasText: charged }).waitFor();
  await page.getByRole('textbox', { name: 'Charge, at least $' }).fill('900');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/usage\?tokens=%22100%22&charge=%22900%22$/);
  await page.getByText('No requests fit').first().waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.goto(`${at.baseUrl}/usage?said=failed+with`);
  await page.getByText(/^1 request, 1 failed · /).waitFor();
  expect(await page.getByRole('textbox', { name: 'Words of the error' }).inputValue()).toBe('failed with');
  expect(complaints).toEqual([]);
  await leave(context);
});

test.each([
  ['en-GB', 'Today', 'Time zone: Pacific/Pago_Pago, GMT-11', 'Request'],
  ['zh-CN', '今天', '时区：Pacific/Pago_Pago, GMT-11', '请求'],
])(
  "in %s a browser on the other side of the date line shows the account's clock, and asks by its days",
  async (locale, today, named, drawerName) => {
    // 25 hours apart: what is today is never the same day in both.
    const [zone, elsewhere] = ['Pacific/Pago_Pago', 'Pacific/Kiritimati'];
    const context = await openContext({
      viewport: { width: 390, height: 844 },
      locale,
      timezoneId: elsewhere,
    });
    const { page, complaints } = await visit(context);
    const { cookie } = await enterAs(at, page, 'member', zone);
    const id = await fail(cookie);
    const { occurred_at: occurredAt } = await admin(
      { baseUrl: at.baseUrl, cookie },
      'GET',
      `/api/requests/${id}`,
    );
    const shown = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale.slice(0, 2) === 'en' ? 'en' : locale, { timeZone, ...options }).format(
        new Date(occurredAt),
      );
    const inFull = { dateStyle: 'medium', timeStyle: 'medium' } as const;
    await page.goto(`${at.baseUrl}/usage`);
    await page.getByText(named).waitFor();
    const asked = page.waitForRequest((request) => /\/api\/requests\?.*from=/.test(request.url()));
    await page
      .getByLabel(/^(?:Period|时间范围)/)
      .first()
      .click();
    await page.getByRole('button', { name: today, exact: true }).click();
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date());
    await page.waitForURL(`**/usage?from=${day}&to=${day}`);
    const query = new URL((await asked).url()).searchParams;
    expect(query.get('from')).toBe(`${day}T11:00:00.000Z`);
    const time = page.getByRole('row').filter({ hasText: '502' }).locator('time');
    expect(await time.textContent()).toContain(
      shown(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
    );
    const onHover = (await time.getAttribute('title')) ?? '';
    expect(onHover).toContain(shown(elsewhere, inFull));
    expect(onHover).toContain(elsewhere);
    await page.getByRole('row').filter({ hasText: '502' }).getByRole('button').click();
    await page.getByRole('dialog', { name: drawerName }).getByText(shown(zone, inFull)).waitFor();
    expect(complaints).toEqual([]);
    await leave(context);
  },
);

test('errors are told with their share of all requests, and lead to those that failed', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const { cookie } = await enterAs(at, page, 'member');
  await fail(cookie);
  await succeed(cookie);
  await page.goto(`${at.baseUrl}/home?range=24h`);
  await page.getByText('502: 1').waitFor();
  await page.getByRole('link', { name: '50%' }).click();
  // Of the same time as the share.
  await page.waitForURL(/\/usage\?status=error&from=[\d-]+&to=[\d-]+&hours=/);
  await page.getByText('502 Upstream error').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  expect(complaints).toEqual([]);
  await leave(context);
});

test('an operator sees the requests of all accounts with who served them, in Chinese on a phone too', async () => {
  const { cookie, accountId } = await inviteNewcomer(at, 'member');
  const id = await fail(cookie);
  const context = await openContext({
    viewport: { width: 390, height: 844 },
    locale: 'zh-CN',
  });
  const { page, complaints } = await visit(context);
  await takeSession(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/models`);
  await page.getByRole('button', { name: '搜索' }).click();
  await page.getByPlaceholder('搜索，或执行操作').fill(id);
  await page.getByRole('button', { name: id }).click();
  await page.waitForURL(/\/usage\?.*account=all/);
  await page.getByRole('row').filter({ hasText: '502 上游错误' }).getByRole('button').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('失败原因').waitFor();
  const text = (await drawer.textContent()) ?? '';
  const { name } = await admin(at, 'GET', `/api/accounts/${accountId}`);
  for (const words of ['simulator', '未收费', '上游成本', '毛利', name]) expect(text).toContain(words);
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate<boolean>(IS_TOO_WIDE)).toBe(false);
  expect(complaints).toEqual([]);
  await leave(context);
});
