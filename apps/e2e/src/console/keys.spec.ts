import { waitFor } from '@tollgate/harness';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { openBooks } from '../books.ts';
import { admin, sharedStack, makeKey } from '../shared-stack.ts';
import { barriers, leave, openContext, openDesk, signInAt, visit } from './browser.ts';
import { enterAs } from './newcomer.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
/** Addresses that nobody has. */
const ELSEWHERE = '192.0.2.0/24';

afterAll(() => books.close());

/** The status of an answer to a request with a key. */
async function statusOf(key: string, model: string): Promise<number> {
  const openai = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const asked = openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return asked.then(
    () => 200,
    (error: unknown) => (error instanceof OpenAI.APIError ? (error.status as number) : NaN),
  );
}

/** Reads the key that a dialog shows once, and closes it. */
async function readKey(page: Page, title: string): Promise<string> {
  const made = page.getByRole('dialog', { name: title });
  const key = (await made.getByTestId('new-key').textContent()) ?? '';
  await made.getByRole('button', { name: 'I have copied it' }).click();
  await made.waitFor({ state: 'detached' });
  return key;
}

test('a key is held to a model and to addresses, changed, and rotated with an overlap and without', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/keys?create=true`);

  const name = `Held ${Date.now()}`;
  const creating = page.getByRole('dialog', { name: 'Create key' });
  await creating.getByRole('textbox', { name: 'Name' }).fill(name);
  await creating.getByRole('combobox', { name: 'Models' }).click();
  await page.getByRole('option', { name: 'sim-chat', exact: true }).click();
  await page.keyboard.press('Escape');
  await creating.getByRole('combobox', { name: 'Addresses it may be used from' }).fill('localhost');
  await creating.getByRole('textbox', { name: 'Concurrent requests' }).fill('8');
  await creating.getByRole('button', { name: 'Create key' }).click();
  await creating.getByText(/An IP address or a range is needed/).waitFor();
  // The browser tells of the refusal by itself.
  expect(complaints.splice(0)).toHaveLength(1);
  await creating.getByRole('combobox', { name: 'Addresses it may be used from' }).click();
  await page.keyboard.press('Backspace');
  await page.keyboard.type('127.0.0.1,::1,');
  await creating.getByRole('button', { name: 'Create key' }).click();
  const first = await readKey(page, 'Your new key');
  expect(await statusOf(first, 'sim-chat')).toBe(200);
  expect(await statusOf(first, 'sim-claude')).toBe(400);

  const row = page.getByRole('row').filter({ hasText: name });
  const choose = async (what: string) => {
    await row.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: what, exact: true }).click();
  };
  await choose('Change');
  const changing = page.getByRole('dialog', { name: `Change ${name}` });
  expect(await changing.getByRole('textbox', { name: 'Concurrent requests' }).inputValue()).toBe('8');
  await changing.getByRole('combobox', { name: 'Addresses it may be used from' }).click();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type(`${ELSEWHERE},`);
  await changing.getByRole('button', { name: 'Save' }).click();
  await changing.waitFor({ state: 'detached' });
  await waitFor(async () => (await statusOf(first, 'sim-chat')) === 401, 'the new addresses');
  await choose('Change');
  await changing.getByRole('combobox', { name: 'Addresses it may be used from' }).click();
  await page.keyboard.press('Backspace');
  await changing.getByRole('button', { name: 'Save' }).click();
  await waitFor(async () => (await statusOf(first, 'sim-chat')) === 200, 'every address');

  await choose('Rotate');
  const rotating = page.getByRole('dialog', { name: `Rotate ${name}` });
  await rotating.getByRole('button', { name: 'Rotate key' }).click();
  const second = await readKey(page, `The new secret of ${name}`);
  expect(await statusOf(second, 'sim-chat')).toBe(200);
  expect(await statusOf(first, 'sim-chat')).toBe(200);
  await row.getByText(/ works until /).waitFor();

  await choose('Rotate');
  await rotating.getByRole('combobox', { name: 'The secret of now works on for' }).click();
  await page.getByRole('option', { name: 'Not at all' }).click();
  await rotating.getByRole('button', { name: 'Rotate key' }).click();
  const third = await readKey(page, `The new secret of ${name}`);
  await waitFor(async () => (await statusOf(second, 'sim-chat')) === 401, 'the end of the secret before');
  expect(await statusOf(third, 'sim-chat')).toBe(200);
  expect(complaints).toEqual([]);
  await leave(context);
}, 90_000);

test('an operator finds what a customer asks about, and disables the key that has leaked', async () => {
  const account = { name: `Customer ${Date.now()}`, mode: 'postpaid' };
  const { id } = await admin(at, 'POST', '/api/accounts', account);
  const { key } = await makeKey(at, { name: 'Leaked', account_id: id });
  const openai = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const asked = () => openai.chat.completions.create({ model: 'sim-chat', messages }).withResponse();
  const requestIds = (await Promise.all([asked(), asked()])).map(
    ({ response }) => response.headers.get('x-request-id') ?? '',
  );
  await Promise.all(requestIds.map((each) => books.usage(each)));
  const [requestId = ''] = requestIds;
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/accounts/${id}`);
  const choose = async (what: string) => {
    await page.getByRole('button', { name: 'Actions for Leaked' }).click();
    await page.getByRole('menuitem', { name: what, exact: true }).click();
  };
  await choose('See its usage');
  await page.waitForURL(`**/usage?*account=${id}*`);
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe(account.name);
  const rows = page.getByRole('row').filter({ hasText: 'sim-chat' });
  await rows.nth(1).waitFor();
  await page.getByRole('textbox', { name: 'Request id' }).fill(requestId);
  await page.keyboard.press('Enter');
  await rows.nth(1).waitFor({ state: 'detached' });
  await rows.first().getByRole('button').click();
  await page.getByRole('dialog', { name: 'Request' }).getByText(requestId).waitFor();

  await page.goto(`${at.baseUrl}/accounts/${id}`);
  await choose('Disable');
  await page.getByText('Leaked is disabled').waitFor();
  await waitFor(async () => (await statusOf(key, 'sim-chat')) === 401, 'the end of the key', 10_000);
  expect(complaints).toEqual([]);
  await leave(context);
}, 60_000);

test('a customer sees what an operator set of a key locked, and may only restrict it further', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const { accountId } = await enterAs(at, page, 'member');
  const { id } = await makeKey(at, {
    name: 'Held',
    account_id: accountId,
    group: 'vip',
    budgets: { daily_usd: '5' },
    limits: { requests_per_minute: 60 },
  });
  const off = await makeKey(at, { name: 'Stopped', account_id: accountId });
  await admin(at, 'PATCH', `/api/keys/${off.id}`, { status: 'disabled' });
  await page.goto(`${at.baseUrl}/keys`);
  const choose = async (name: string, what: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: what, exact: true }).click();
  };
  await page.getByText('by an operator').waitFor();
  await page.getByRole('button', { name: 'Actions for Stopped' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Enable' }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await choose('Held', 'Change');
  const changing = page.getByRole('dialog', { name: 'Change Held' });
  const group = changing.getByRole('combobox', { name: 'Group' });
  await changing.getByText(/ Only operators of this service change it\.$/).waitFor();
  expect(await group.isDisabled()).toBe(true);
  const further = changing.getByText(
    /^owner@e2e\.example set this on .* You may restrict it further, not lift it\.$/,
  );
  // A daily budget, and three limits, which are set as a whole.
  expect(await further.count()).toBe(2);
  expect(await barriers(page)).toEqual([]);
  const daily = changing.getByRole('textbox', { name: 'Daily' });
  await daily.fill('6');
  await changing.getByRole('button', { name: 'Save' }).click();
  await changing.getByText(/^An operator of this service set this/).waitFor();
  expect(complaints.splice(0)).toHaveLength(1);
  await daily.fill('4');
  await changing.getByRole('button', { name: 'Save' }).click();
  await changing.waitFor({ state: 'detached' });
  const { items } = await admin(at, 'GET', `/api/keys?account_id=${accountId}`);
  expect(items.find((key) => key.id === id)).toMatchObject({ group: 'vip', budgets: { daily_usd: '4.00' } });
  expect(complaints).toEqual([]);
  await leave(context);
}, 60_000);

test('an operator says which groups an account may use and how many keys it may have', async () => {
  const account = { name: `Ruled ${Date.now()}` };
  const { id } = await admin(at, 'POST', '/api/accounts', account);
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/accounts/${id}`);
  const openDialog = async () => {
    await page.getByRole('button', { name: `Actions for ${account.name}` }).click();
    await page.getByRole('menuitem', { name: 'Change account' }).click();
  };
  await openDialog();
  const dialog = page.getByRole('dialog', { name: 'Change account' });
  await dialog.getByRole('combobox', { name: 'Groups they may choose' }).click();
  await page.getByRole('option', { name: 'default', exact: true }).click();
  await page.getByRole('option', { name: 'vip', exact: true }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('textbox', { name: 'Number of keys' }).fill('3');
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const read = () => admin(at, 'GET', `/api/accounts/${id}`);
  expect(await read()).toMatchObject({ allowed_groups: ['default', 'vip'], max_keys: 3 });

  await openDialog();
  expect(await dialog.getByRole('textbox', { name: 'Number of keys' }).inputValue()).toBe('3');
  await dialog.getByRole('textbox', { name: 'Number of keys' }).fill('');
  await dialog.getByRole('combobox', { name: 'Groups they may choose' }).click();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await read()).toMatchObject({ allowed_groups: null, max_keys: null });
  expect(complaints).toEqual([]);
  await leave(context);
}, 60_000);

test('a new key is copied on plain HTTP too, where pages have no clipboard', async () => {
  const context = await openContext();
  const { page, complaints } = await visit(context);
  await page.addInitScript('delete Navigator.prototype.clipboard');
  await signInAt(page, at.baseUrl, '/keys?create=true');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Copied');
  await page.keyboard.press('Enter');
  const made = page.getByRole('dialog', { name: 'Your new key' });
  await made.getByRole('button', { name: 'Copy the key' }).click();
  await made.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  const key = await readKey(page, 'Your new key');
  const field = page.getByRole('searchbox', { name: 'Find' });
  await field.press('ControlOrMeta+V');
  expect(await field.inputValue()).toBe(key);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a page of keys that is no more gives way to the last one, and the field says what is searched for', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const { cookie } = await enterAs(at, page, 'member');
  await makeKey({ baseUrl: at.baseUrl, cookie }, { name: 'The only one' });
  const row = page.getByRole('row').filter({ hasText: 'The only one' });
  await page.goto(`${at.baseUrl}/keys?page=9`);
  await row.waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.goto(`${at.baseUrl}/keys?find=another`);
  await page.getByText('No key fits').first().waitFor();
  const field = page.getByRole('searchbox', { name: 'Find' });
  expect(await field.inputValue()).toBe('another');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API keys' }).click();
  await row.waitFor();
  expect(await field.inputValue()).toBe('');
  expect(complaints).toEqual([]);
  await leave(context);
});
