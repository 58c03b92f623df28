import { waitFor } from '@tollgate/harness';
import { formatUsd } from '@tollgate/money';
import { openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { barriers, leave, openDesk, visit } from './browser.ts';
import { enterAs } from './newcomer.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

test('a newcomer is shown what to do first, and then what it cost, exactly', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const newcomer = await enterAs(at, page, 'member');
  await page.goto(at.baseUrl);
  await page.waitForURL('**/home');
  await page.getByRole('heading', { name: 'Send your first request' }).waitFor();
  expect(await page.locator('pre').textContent()).toContain(`curl ${at.baseUrl}/v1/chat/completions`);
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: 'Create key' }).waitFor();

  const { cookie } = newcomer;
  const { key } = await makeKey({ baseUrl: at.baseUrl, cookie });
  for (let n = 0; n < 3; n += 1) {
    const answer = await call(`${at.baseUrl}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: GOOD.chat.body,
    });
    expect(answer.status).toBe(200);
  }
  const sums = () => admin({ baseUrl: at.baseUrl, cookie }, 'GET', '/api/usage');
  await waitFor(async () => (await sums()).items.length === 3, 'three rows in the log');
  const { pico } = await books.one(
    'SELECT sum(cost_pico)::text AS pico FROM billing.usage WHERE account_id = $1',
    [newcomer.accountId],
  );
  await page.goto(`${at.baseUrl}/home?range=24h`);
  const chart = page.getByRole('slider', { name: 'Spend by model' });
  await chart.waitFor();
  const spend = `$${formatUsd(BigInt(pico ?? '0'))}`;
  expect(await chart.getAttribute('aria-valuetext')).toMatch(
    new RegExp(`: ${spend.replace('$', '\\$')}, sim-chat`),
  );
  await chart.press('ArrowLeft');
  await page.getByText('Total', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Tokens', exact: true }).check();
  const tokens = page.getByRole('slider', { name: 'Tokens by model' });
  await tokens.waitFor();
  expect(await page.getByRole('heading', { name: 'Latest requests' }).count()).toBe(1);

  // The legend hides what it names, and shows it again; the bar of this hour leads to its requests.
  const inLegend = page.getByRole('button', { name: /^sim-chat/, pressed: true });
  await inLegend.click();
  expect(await tokens.getAttribute('aria-valuetext')).not.toContain('sim-chat');
  await page.getByRole('button', { name: /^sim-chat/, pressed: false }).click();
  expect(await tokens.getAttribute('aria-valuetext')).toContain('sim-chat');
  await page.locator('[data-series=sim-chat]').last().click();
  await page.waitForURL(/\/usage\?.*model=sim-chat/);
  await page.getByRole('row').filter({ hasText: 'sim-chat' }).nth(2).waitFor();
  expect(await page.getByRole('row').count()).toBe(4);

  // A key whose budget is used up rings the bell, which leads to it.
  await books.one('UPDATE billing.api_key SET budget_pico = 1 WHERE account_id = $1 RETURNING id', [
    newcomer.accountId,
  ]);
  await page.reload();
  const unseen = page.getByRole('button', { name: 'Notices, 1 new' });
  await unseen.waitFor();
  // The count is red, and not the whole bell.
  const colours = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[aria-label="Notices, 1 new"] span')].map((span) => getComputedStyle(span).backgroundColor)`,
  );
  expect(colours).toEqual(['rgba(0, 0, 0, 0)', 'rgb(179, 38, 30)']);
  await unseen.click();
  const bell = page.getByRole('dialog', { name: 'Notices' });
  await bell.getByText('Budget used up').waitFor();
  expect(await barriers(page)).toEqual([]);
  await bell.getByRole('link').click();
  await page.waitForURL('**/keys');
  await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menu').waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press('Escape');

  // What was used has to be paid beforehand from now on: nothing is left, and every page says how to pay.
  await admin(at, 'PATCH', `/api/accounts/${newcomer.accountId}`, { mode: 'prepaid' });
  await page.goto(`${at.baseUrl}/keys`);
  await page.getByText('Nothing is left to spend').waitFor();
  expect(await page.getByRole('button', { name: 'Credit this account' }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'Redeem a code' }).click();
  await page.getByRole('dialog', { name: 'Redeem a code' }).waitFor();
  expect(complaints).toEqual([]);
  await leave(context);
});

test('the log goes live: what is asked for now appears without a reload, and the filter is exported', async () => {
  const context = await openDesk();
  const { page } = await visit(context);
  const { cookie } = await enterAs(at, page, 'member');
  const { key } = await makeKey({ baseUrl: at.baseUrl, cookie });
  const ask = async () => {
    const answer = await call(`${at.baseUrl}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: GOOD.chat.body,
    });
    return answer.headers.get('x-request-id') ?? '';
  };
  await books.usage(await ask());
  await page.goto(`${at.baseUrl}/usage?model=sim-chat`);
  const rows = page.getByRole('row').filter({ hasText: 'sim-chat' });
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByRole('switch', { name: 'Live' }).press('Space');
  const second = await ask();
  await rows.nth(1).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  const stream = await (await download).createReadStream();
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  expect(text.trim().split('\r\n')).toHaveLength(3);
  expect(text).toContain(second);
  await leave(context);
});
