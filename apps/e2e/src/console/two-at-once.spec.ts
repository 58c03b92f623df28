import { waitFor } from '@tollgate/harness';
import type { BrowserContext } from 'playwright-core';
import { call } from '../call.ts';
import { ownName, putModel } from '../pools/own-pool.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { testAdmin } from '../test-stack.ts';
import {
  barriers,
  leave,
  openContext,
  openDesk,
  signInAt,
  takeSession,
  type Visit,
  visit,
} from './browser.ts';

// The browser types; what the other one of two does meanwhile is a call of the API. What stands in the end is asked of it too.
const at = sharedStack();
let context: BrowserContext;
let open: Visit;
beforeEach(async () => {
  context = await openDesk();
  open = await visit(context);
});
afterEach(() => leave(context));

describe('two who edit one model in one draft', () => {
  const draft = ownName('shared-draft');
  const model = ownName('shared-model');
  const path = `/api/catalogue/drafts/${draft}` as const;
  const entryOf = async () => {
    const { changes } = await admin(at, 'GET', path);
    const [change] = changes;
    if (change?.op !== 'put' || change.section !== 'models')
      throw new Error(`The draft does not change ${model}.`);
    return change.entry;
  };
  const write = async (change: object): Promise<void> => {
    const entry = { ...(await entryOf()), ...change };
    const changes = [{ op: 'put', section: 'models', entry }];
    await admin(at, 'PUT', path, { reason: 'Both of us', changes });
  };
  beforeAll(async () => {
    await putModel(at, model);
    const { catalogue } = await admin(at, 'GET', '/api/catalogue');
    const entry = catalogue.models.find(({ name }) => name === model);
    await admin(at, 'PUT', path, {
      reason: 'Both of us',
      changes: [{ op: 'put', section: 'models', entry: { ...entry, description: 'at first' } }],
    });
  });
  afterAll(() => admin(at, 'DELETE', path));

  test('the second is asked, and keeps what they typed beside what the first changed', async () => {
    const { page, complaints } = open;
    await signInAt(page, at.baseUrl, `/catalogue?draft=${draft}&edit=${model}`);
    const editor = page.getByRole('dialog', { name: `Model ${model}` });
    const input = editor.getByRole('textbox', { name: 'Input', exact: true });
    await input.fill('5');
    const { prices } = await entryOf();
    await write({ description: 'theirs', prices: { ...prices, input: 3_000_000, output: 9_000_000 } });
    await editor.getByRole('button', { name: 'Save to the draft' }).click();
    await editor.getByRole('alert').getByText(testAdmin.email).waitFor();
    await editor.getByRole('row').filter({ hasText: 'Description' }).getByText('theirs').waitFor();
    expect(await barriers(page)).toEqual([]);
    expect((await entryOf()).prices['input']).toBe(3_000_000);
    await editor.getByRole('button', { name: 'Keep mine' }).click();
    expect(await input.inputValue()).toBe('5');
    expect(await editor.getByRole('textbox', { name: 'Output', exact: true }).inputValue()).toBe('9.00');
    await editor.getByRole('button', { name: 'Save to the draft' }).click();
    await editor.waitFor({ state: 'hidden' });
    expect(await entryOf()).toMatchObject({
      description: 'theirs',
      prices: { input: 5_000_000, output: 9_000_000 },
    });
    expect(complaints).toEqual([]);
  });

  test('the second may take what the first made', async () => {
    const { page, complaints } = open;
    await signInAt(page, at.baseUrl, `/catalogue?draft=${draft}&edit=${model}`);
    const editor = page.getByRole('dialog', { name: `Model ${model}` });
    const description = editor.getByRole('textbox', { name: 'Description' });
    await description.fill('mine');
    await write({ description: 'the newest' });
    await editor.getByRole('button', { name: 'Save to the draft' }).click();
    await editor.getByRole('button', { name: 'Take theirs' }).click();
    expect(await description.inputValue()).toBe('the newest');
    expect(complaints).toEqual([]);
  });

  test('an entry that was changed meanwhile is not taken away unasked', async () => {
    const { page, complaints } = open;
    await signInAt(page, at.baseUrl, `/catalogue?draft=${draft}&find=${model}`);
    await page.getByRole('button', { name: `Actions for ${model}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Remove in the draft' });
    await remove.waitFor();
    await write({ description: 'needed after all' });
    await remove.click();
    await dialog.getByText('needed after all').waitFor();
    expect((await entryOf()).description).toBe('needed after all');
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await entryOf()).description).toBe('needed after all');
    expect(complaints).toEqual([]);
  });
});

test('in Chinese, a discount that somebody else gave meanwhile is shown beside the one that was typed', async () => {
  const { id, name } = await admin(at, 'POST', '/api/accounts', { name: ownName('Twice') });
  const give = (ratio: string) =>
    admin(at, 'PUT', `/api/catalogue/discounts/${id}`, { discounts: [{ models: ['*'], ratio }] });
  await give('0.9');
  const chinese = await openContext({ locale: 'zh-CN' });
  const { page, complaints } = await visit(chinese);
  await takeSession(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/discounts`);
  await page.getByRole('row').filter({ hasText: name }).getByRole('button').last().click();
  await page.getByRole('menuitem').first().click();
  const dialog = page.getByRole('dialog');
  const share = dialog.getByRole('textbox', { name: '比例' });
  await share.fill('0.8');
  await give('0.7');
  await dialog.getByRole('button', { name: '发布' }).click();
  await dialog.getByText('已被他人更改').waitFor();
  await dialog.getByRole('alert').getByText(testAdmin.email).waitFor();
  expect(await share.inputValue()).toBe('0.8');
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole('button', { name: '保留我的' }).click();
  await dialog.getByRole('button', { name: '发布' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { catalogue } = await admin(at, 'GET', '/api/catalogue');
  expect(catalogue.discounts).toContainEqual({ account_id: id, models: ['*'], ratio: '0.8' });
  await admin(at, 'DELETE', `/api/catalogue/discounts/${id}`);
  await leave(chinese);
  expect(complaints).toEqual([]);
});

test('what was typed into a dialog outlasts a click beside it, and Escape asks first', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl, '/keys?create=true');
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await name.fill('half done');
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  await dialog.getByText('Throw away what you typed?').waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  expect(await name.inputValue()).toBe('half done');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Throw away' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.goto(`${at.baseUrl}/keys?create=true`);
  await name.waitFor();
  await page.mouse.click(5, 5);
  expect(await name.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a transaction leads to the request that it charges', async () => {
  const { page, complaints } = open;
  const account = await admin(at, 'POST', '/api/accounts', { name: ownName('Charged') });
  const { key } = await makeKey(at, { account_id: account.id });
  const answer = await call(`${at.baseUrl}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'sim-chat', messages: [{ role: 'user', content: 'Charge me' }] },
  });
  const request = answer.headers.get('x-request-id') ?? '';
  expect(answer.status).toBe(200);
  const booked = async () =>
    (await admin(at, 'GET', `/api/ledger/transactions?account_id=${account.id}`)).items;
  await waitFor(async () => (await booked()).length === 1, 'the request to be booked', 60_000);
  const [transaction] = await booked();
  await signInAt(page, at.baseUrl, `/ledger?account=${account.id}&number=${transaction?.number}`);
  const link = page.getByRole('dialog', { name: /^Transaction/ }).getByRole('link', { name: request });
  await link.click();
  await page.waitForURL((url) => url.pathname === '/usage' && url.searchParams.get('request') === request);
  await page.getByRole('row').filter({ hasText: 'sim-chat' }).waitFor();
  expect(complaints).toEqual([]);
}, 90_000);
