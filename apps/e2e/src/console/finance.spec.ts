import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { formatUsd, parseUsd } from '@tollgate/money';
import { parse } from 'csv-parse/sync';
import type { BrowserContext } from 'playwright-core';
import { openBooks } from '../books.ts';
import { call, GOOD } from '../call.ts';
import { admin, sharedStack, makeKey, signIn } from '../shared-stack.ts';
import { barriers, findPoints, leave, openDesk, signInAt, type Visit, visit } from './browser.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const finance = { email: 'finance@e2e.example', password: 'a ledger balances to zero' };
let context: BrowserContext;
let open: Visit;
beforeAll(async () => {
  const { items } = await admin(at, 'GET', `/api/accounts/${at.accountId}/users`);
  if (!items.some(({ email }) => email === finance.email))
    await admin(at, 'POST', `/api/accounts/${at.accountId}/users`, { ...finance, role: 'finance' });
});
beforeEach(async () => {
  context = await openDesk();
  open = await visit(context);
});
afterEach(() => leave(context));
afterAll(() => books.close());

let names = 0;
const newName = (what: string): string => `${what} ${Date.now()} ${(names += 1)}`;
const openAccount = (name: string, terms: object = {}): Promise<{ id: string }> =>
  admin(at, 'POST', '/api/accounts', { name, ...terms });

test('an owner makes an account, grants it credit once, and sees the balance and both sides in the ledger', async () => {
  const { page, complaints } = open;
  const name = newName('Acme');
  await signInAt(page, at.baseUrl, '/accounts');
  await page.getByRole('button', { name: 'New account' }).first().click();
  const making = page.getByRole('dialog', { name: 'New account' });
  await making.getByRole('textbox', { name: 'Name' }).fill(name);
  await making.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('Nothing is booked yet').waitFor();

  await page.getByRole('button', { name: 'Grant credit' }).click();
  const granting = page.getByRole('dialog', { name: `Grant credit to ${name}` });
  await granting.getByRole('button', { name: 'Check' }).click();
  await granting.getByText('An amount such as 12.50').waitFor();
  await granting.getByRole('textbox', { name: 'Amount in USD' }).fill('1234.56');
  await granting.getByRole('textbox', { name: 'Reason' }).fill('Welcome credit');
  await granting.getByRole('button', { name: 'Check' }).click();
  expect(await granting.getByTestId('sum-in-words').textContent()).toBe(
    'one thousand two hundred thirty-four US dollars and fifty-six cents',
  );
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/ledger/grants')) keys.push(request.headers()['idempotency-key']);
  });
  // The first answer is lost on its way: what is sent again is booked once.
  let isLost = false;
  await page.route('**/api/ledger/grants', async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
  await granting.getByRole('button', { name: 'Grant credit' }).click();
  await granting.getByText('The relay does not answer', { exact: false }).waitFor();
  await granting.getByRole('button', { name: 'Grant credit' }).click();
  await granting.waitFor({ state: 'detached' });
  expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{32}$/)]));
  expect(keys).toHaveLength(2);

  await page.getByTestId('balance').getByText('$1,234.56', { exact: true }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Welcome credit' });
  await row.getByText('$1,234.56', { exact: true }).waitFor();
  expect(await row.count()).toBe(1);

  await page.getByRole('link', { name: 'See all in the ledger' }).click();
  // The account's page, which has the same button, stays until the other is there.
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await row.getByRole('button', { name: /^Open transaction/ }).click();
  const drawer = page.getByRole('dialog', { name: /^Transaction/ });
  const entries = drawer.getByRole('table');
  await entries.getByRole('row', { name: /^grants/ }).waitFor();
  expect(await entries.getByRole('row', { name: /^grants/ }).textContent()).toBe('grants$1,234.56');
  expect(await entries.getByRole('row', { name: /^Sum/ }).textContent()).toBe('Sum$1,234.56$1,234.56');
  await drawer.getByText('owner@e2e.example').waitFor();

  await drawer.getByRole('button', { name: 'Correct' }).click();
  const undoing = page.getByRole('dialog', { name: /^Undo transaction/ });
  await undoing.getByRole('textbox', { name: 'Reason' }).fill('Entered for the wrong account');
  await undoing.getByRole('button', { name: 'Check' }).click();
  expect(await undoing.getByTestId('sum-in-words').textContent()).toContain('minus one thousand two hundred');
  await undoing.getByRole('button', { name: 'Undo' }).click();
  await undoing.waitFor({ state: 'detached' });
  await drawer.getByText('-$1,234.56').first().waitFor();
  await drawer.getByText('About transaction').waitFor();

  const id = new URL(page.url()).searchParams.get('account') ?? '';
  const small = { account_id: id, amount_usd: '0.125', reason: 'A little more' };
  const headers = { cookie: at.cookie, 'idempotency-key': `${id}-more` };
  expect((await call(`${at.baseUrl}/api/ledger/grants`, { headers, body: small })).status).toBe(201);
  await page.goto(`${at.baseUrl}/ledger?account=${id}`);
  await page.getByText('3 transactions · balances changed by $0.125', { exact: true }).waitFor();
  await page.getByRole('row').nth(3).waitFor();
  const points = await findPoints(page);
  expect(points.map(({ text }) => text)).toEqual(['$0.125', '-$1,234.56', '$1,234.56']);
  expect(new Set(points.map(({ left }) => left)).size).toBe(1);
  await page.goto(`${at.baseUrl}/ledger?account=${id}&kind=grant`);
  await page.getByText('2 transactions · balances changed by $1,234.685', { exact: true }).waitFor();
  await page.goto(`${at.baseUrl}/accounts?find=${name}`);
  await page.getByText('1 account with a balance of $0.125', { exact: true }).waitFor();
  expect(complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
}, 60_000);

test('what the books do not allow is said where it was typed, and nothing is booked', async () => {
  const { page } = open;
  const name = newName('Debtor');
  const { id } = await openAccount(name);
  await signInAt(page, at.baseUrl, `/accounts/${id}`);
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Write off' }).click();
  const dialog = page.getByRole('dialog', { name: `Write off a debt of ${name}` });
  await dialog.getByRole('textbox', { name: 'Amount in USD' }).fill('5');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not to be collected');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByRole('button', { name: 'Write off' }).click();
  await dialog.getByText('The account owes 0.00 USD, and no more can be written off.').waitFor();
  expect(
    await books.one('SELECT count(*)::int AS n FROM billing.ledger_transaction WHERE account_id = $1', [id]),
  ).toEqual({ n: 0 });
});

test('finance runs an export, and the file that is downloaded adds up to what the page says', async () => {
  const { page, complaints } = open;
  const name = newName('Export');
  const { id } = await openAccount(name);
  const { key } = await makeKey(at, { account_id: id });
  const requests = [];
  for (let each = 0; each < 3; each += 1) {
    const answer = await call(`${at.baseUrl}${GOOD.chat.path}`, {
      headers: { authorization: `Bearer ${key}` },
      body: GOOD.chat.body,
    });
    expect(answer.status).toBe(200);
    requests.push(answer.headers.get('x-request-id') ?? '');
  }
  const costs = await Promise.all(requests.map(async (request) => (await books.usage(request)).cost_pico));
  const total = formatUsd(costs.reduce((sum, cost) => sum + BigInt(cost), 0n));

  await signInAt(page, at.baseUrl, '/exports', finance);
  await page.getByRole('button', { name: 'New export' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New export' });
  await dialog.getByRole('combobox', { name: 'Account' }).fill(name);
  await page.getByRole('option', { name }).click();
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  const openMenu = async () => {
    await row.getByText('Done').waitFor();
    await row.getByRole('button', { name: 'Actions for Usage as CSV' }).click();
    await page.getByRole('menuitem', { name: 'See what is in it' }).waitFor();
  };
  const look = async () => {
    await openMenu();
    await page.getByRole('menuitem', { name: 'See what is in it' }).click();
  };
  const drawer = page.getByRole('dialog', { name: 'What is in it' });
  const fromMenu = page.getByRole('menuitem', { name: 'Download' });
  // As it is of more rows than a file has: none of the files is taken for all of it.
  await page.route('**/api/exports/*/manifest', async (route) => {
    const answer = await route.fetch();
    const whole = (await answer.json()) as { files: object[] };
    await route.fulfill({
      json: { ...whole, files: [...whole.files, { ...whole.files[0], name: 'part-00002.csv' }] },
    });
  });
  await openMenu();
  await fromMenu.click();
  await drawer.getByRole('link', { name: 'Download' }).nth(1).waitFor();
  await page.unroute('**/api/exports/*/manifest');
  await page.reload();
  await openMenu();
  const [alone] = await Promise.all([page.waitForEvent('download'), fromMenu.click()]);
  expect(alone.suggestedFilename()).toMatch(/^usage-.*part-00001\.csv$/);
  await look();
  const sum = drawer.locator('dl > div').filter({ hasText: 'cost_usd' }).first();
  await sum.getByText(`$${total}`, { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    drawer.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^usage-.*part-00001\.csv$/);
  const bytes = await readFile(await download.path());
  const rows = parse(bytes, { columns: true }) as { request_id: string; cost_usd: string }[];
  expect(rows.map(({ request_id }) => request_id).sort()).toEqual([...requests].sort());
  expect(formatUsd(rows.reduce((pico, { cost_usd }) => pico + parseUsd(cost_usd), 0n))).toBe(total);
  await drawer.getByText(createHash('sha256').update(bytes).digest('hex')).waitFor();

  // As it is when its days are over.
  await books.one(
    `UPDATE billing.export_job SET files_removed_at = now() WHERE account_id = $1 RETURNING id`,
    [id],
  );
  await page.reload();
  await look();
  await drawer.getByText(/^The files were removed on /).waitFor();
  expect(await drawer.getByRole('link', { name: 'Download' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await openMenu();
  expect(await fromMenu.count()).toBe(0);
  expect(complaints).toEqual([]);
}, 60_000);

test('a schedule is made, paused and taken away', async () => {
  const { page, complaints } = open;
  const name = newName('Books');
  await signInAt(page, at.baseUrl, '/exports?create=schedule', finance);
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('button', { name: 'Create schedule' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText('Monthly on day 4 at 06:00').waitFor();
  await row.getByText('after closing').waitFor();
  const choose = async (doing: string) => {
    await row.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: doing }).click();
  };
  await choose('Pause');
  await row.getByText('Paused').waitFor();
  await choose('See its exports');
  await page.getByText('No exports yet').waitFor();
  await choose('Delete');
  await page
    .getByRole('dialog', { name: `Delete ${name}?` })
    .getByRole('button', { name: 'Delete schedule' })
    .click();
  await row.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

describe('finance', () => {
  let session: string | undefined;

  test('keeps the books and sees no place of the operators', async () => {
    const { page, complaints } = open;
    await signInAt(page, at.baseUrl, '/accounts', finance);
    const places = page.getByRole('navigation', { name: 'Pages' });
    await places.getByRole('link', { name: 'Ledger' }).waitFor();
    await places.getByRole('link', { name: 'Redemption codes' }).waitFor();
    for (const place of ['Upstreams', 'Catalogue', 'System'])
      expect(await places.getByRole('link', { name: place }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'New account' }).count()).toBe(0);
    for (const path of ['/discounts', '/upstreams', '/catalogue']) {
      await page.goto(`${at.baseUrl}${path}`);
      await page.getByText('This page is not for your role').waitFor();
    }
    await page.goto(`${at.baseUrl}/accounts/${at.accountId}`);
    await page.getByRole('button', { name: 'Grant credit' }).waitFor();
    await page.getByText('Newest transactions').waitFor();
    expect(await page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['GET', '/api/catalogue'],
    ['GET', '/api/catalogue/health'],
    ['POST', '/api/accounts'],
    ['PATCH', '/api/accounts/ACCOUNT'],
    ['GET', '/api/accounts/ACCOUNT/users'],
  ])('is refused %s %s', async (method, path) => {
    const { id } = await openAccount(newName('Other'));
    session ??= await signIn(at.baseUrl, finance);
    const cookie = session;
    const answer = await call(`${at.baseUrl}${path.replace('ACCOUNT', id)}`, {
      method,
      headers: { cookie },
      ...(method === 'GET' ? {} : { body: { name: 'mine' } }),
    });
    expect(answer.status).toBe(403);
  });
});
