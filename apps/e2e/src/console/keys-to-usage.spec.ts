import { setTimeout as sleep } from 'node:timers/promises';
import { formatUsd } from '@tollgate/money';
import OpenAI, { AuthenticationError } from 'openai';
import type { BrowserContext } from 'playwright-core';
import { expectedCost, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { makeOwnPool, ownName, putModel, requestId as requestIdOf } from '../pools/own-pool.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import {
  barriers,
  findPoints,
  leave,
  openDesk,
  signInAt,
  signInByForm,
  type Visit,
  visit,
} from './browser.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
let context: BrowserContext;
let open: Visit;
beforeEach(async () => {
  context = await openDesk();
  open = await visit(context);
});
afterEach(() => leave(context));
afterAll(() => books.close());

test('a person signs in, makes a key, uses it, sees the exact charge, and takes the key back', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl);
  await page.waitForURL('**/overview');
  expect(await page.title()).toBe('Overview · Tollgate');
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  expect(await page.title()).toBe('API keys · Tollgate');

  const name = `Console ${Date.now()}`;
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('textbox', { name: 'Daily' }).fill('25.00');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('dialog', { name: 'Your new key' });
  const key = (await made.getByTestId('new-key').textContent()) ?? '';
  expect(key).toMatch(/^sk-/);
  expect(await made.getByRole('tabpanel').textContent()).toContain(key);
  await made.getByRole('button', { name: 'I have copied it' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText('Active').waitFor();
  expect(await row.textContent()).toContain('of $25.00 a day');
  expect(await page.content()).not.toContain(key);

  const openai = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const ask = () =>
    openai.chat.completions.create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] });
  const { response } = await openai.chat.completions
    .create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello from the console' }] })
    .withResponse();
  const requestId = response.headers.get('x-request-id') ?? '';
  const posted = await books.usage(requestId);
  const charge = `$${formatUsd(await expectedCost(at, posted))}`;

  await row.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'See its usage' }).click();
  await page.waitForURL('**/usage?key=*');
  const entry = page.getByRole('row').filter({ hasText: 'sim-chat' });
  await entry.getByText(charge, { exact: true }).waitFor();
  expect(await entry.count()).toBe(1);
  await entry.getByRole('button').click();
  const drawer = page.getByRole('dialog', { name: 'Request' });
  await drawer.getByText(requestId).waitFor();
  const bill = drawer.getByRole('table');
  await bill.getByRole('row', { name: /^Charged/ }).waitFor();
  expect(await bill.getByRole('row', { name: /^Charged/ }).textContent()).toBe(`Charged${charge}`);
  expect(await bill.getByRole('row', { name: /^List price/ }).textContent()).toBe(`List price${charge}`);
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'API keys' }).click();
  await row.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await page.getByText(`${name} is disabled`).waitFor();
  await sleep(1_000);
  await expect(ask()).rejects.toBeInstanceOf(AuthenticationError);

  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Active').waitFor();
  await page.getByText(`${name} is disabled`).waitFor({ state: 'hidden' });
  await row.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByText(`${name} is deleted`).waitFor();
  await sleep(1_000);
  await expect(ask()).rejects.toBeInstanceOf(AuthenticationError);
  expect(complaints).toEqual([]);
}, 60_000);

/** A model that sells searches and a tier; it is asked once, by an upstream that reports no number of its searches. */
async function searchInPriority(): Promise<{ model: string; requestId: string }> {
  const { model, key } = await makeOwnPool(
    at,
    { members: [{ upstream: 'simulator' }] },
    {
      named: 'searched',
      model: {
        unit_prices: { searches: 10_000_000_000 },
        service_tiers: { priority: '2.125' },
        features: { web_search: 'priced', service_tier: 'priced' },
      },
    },
  );
  const script = { searches: 3, tool_usage: false, usage: { input: 1_001, output: 7 } };
  const answer = await call(`${at.baseUrl}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
    body: {
      model,
      input: `What is new? [[sim ${JSON.stringify(script)}]]`,
      tools: [{ type: 'web_search' }],
      max_tool_calls: 20,
      service_tier: 'priority',
    },
  });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return { model, requestId: requestIdOf(answer) };
}

test('what is charged beside tokens is seen on the bill, on the page of the model and in the month', async () => {
  const { page, complaints } = open;
  const { model, requestId } = await searchInPriority();
  const posted = await books.usage(requestId);
  // 1,001 and 7 tokens at 1 and 2 micro-USD, times 2.125; three searches at a cent.
  expect([posted.cost_pico, posted['units_searches']]).toEqual(['32156875000', '3']);
  await signInAt(page, at.baseUrl, `/usage?model=${model}`);
  const row = page.getByRole('row').filter({ hasText: model });
  await row.getByText('Priority, Searches 3').waitFor();
  await row.getByRole('button').click();
  const bill = page.getByRole('dialog', { name: 'Request' }).getByRole('table');
  await bill.getByRole('row', { name: /^Charged/ }).waitFor();
  expect(await bill.getByRole('row').allTextContents()).toEqual([
    'WhatQuantityPriceAmount',
    'Input1,001$1.00 / 1M$0.001001',
    'Output7$2.00 / 1M$0.000014',
    'Tokens in the tier Priority× 2.125',
    'Searchescounted by us3$10.00 / 1K$0.03',
    'List price$0.032156875',
    `Ratio of group ${model}× 1`,
    'Charged$0.032156875',
  ]);
  const points = await findPoints(page, '[role=dialog]');
  expect(points.map(({ text }) => text).slice(0, 3)).toEqual(['$0.001001', '$0.000014', '$0.03']);
  expect(new Set(points.map(({ left }) => left)).size).toBe(1);
  await page.setViewportSize({ width: 360, height: 900 });
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate<boolean>(IS_TOO_WIDE)).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.goto(`${at.baseUrl}/models?group=${model}&model=${model}`);
  const beside = page.getByRole('region', { name: 'Beside tokens' }).getByRole('row');
  await beside.first().waitFor();
  expect(await beside.allTextContents()).toEqual([
    'Searches$10.00 / 1K',
    'Tokens in the tier Priority× 2.125',
  ]);
  await page.getByText('Searches $10.00 / 1K, Priority × 2.125').waitFor();

  await page.goto(`${at.baseUrl}/statements?month=${new Date().toISOString().slice(0, 7)}`);
  const line = page
    .getByRole('table', { name: 'Usage by model' })
    .getByRole('row')
    .filter({ hasText: model });
  await line.waitFor();
  expect(await line.textContent()).toContain('1,001 input7 output3 searches');
  expect(complaints).toEqual([]);
}, 60_000);

const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

test('a wrong password is told, and a field that the relay refuses is named', async () => {
  const { page } = open;
  await page.goto(`${at.baseUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Enter your e-mail address').waitFor();
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody@e2e.example');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  expect(await page.getByRole('alert').textContent()).toBe('The e-mail address or the password is wrong.');
});

test('a page that needs a session leads to the sign-in and back to where one wanted to go', async () => {
  const { page } = open;
  await page.goto(`${at.baseUrl}/usage?model=sim-chat&from=2026-01-01`);
  await page.waitForURL('**/sign-in?next=*');
  await signInByForm(page);
  await page.waitForURL('**/usage?model=sim-chat&from=2026-01-01');
  // An answer that is under way would bring the cookie back. The network is idle before they are asked for, too, where a
  // busy machine takes long to begin.
  const answers = ['/api/requests?', '/api/requests/totals', '/api/accounts/', '/api/pricing'].map((part) =>
    page.waitForResponse((answer) => answer.url().includes(part)),
  );
  await page.reload({ waitUntil: 'networkidle' });
  await Promise.all(answers);
  await context.clearCookies();
  await page.getByRole('button', { name: 'Load again' }).click();
  await page.waitForURL('**/sign-in?next=*');
  await signInByForm(page);
  await page.waitForURL('**/usage?model=sim-chat&from=2026-01-01');
  await page.getByRole('button', { name: /owner@e2e/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await page.goto(`${at.baseUrl}/keys`);
  await page.waitForURL('**/sign-in?next=*');
});

test('the palette goes anywhere by keyboard alone', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl);
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search, or run a command').fill('models');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/models');
  await page.getByText('sim-claude').first().waitFor();

  // What the service finds comes with what can be done with it.
  const name = ownName('palette');
  const { id } = await admin(at, 'POST', '/api/accounts', { name });
  const refusal = { message: 'Not now.', type: 'rate_limit_error', param: null, code: null };
  await page.route('**/api/search?*', (route) => route.fulfill({ status: 429, json: { error: refusal } }), {
    times: 1,
  });
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search, or run a command').fill(name.toUpperCase());
  const search = page.getByRole('dialog', { name: 'Search' });
  await search.getByRole('button', { name: 'Not now.' }).click();
  await search.getByRole('button', { name: `Grant credit to ${name}` }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/accounts/${id}`);
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search, or run a command').fill(name);
  await search.getByRole('button', { name: `Grant credit to ${name}` }).click();
  await page.getByRole('dialog', { name: `Grant credit to ${name}` }).waitFor();
  expect(complaints.filter((text) => !text.includes('429'))).toEqual([]);
});

test('prices are there for anybody, in the group that is asked for', async () => {
  const { page, complaints } = open;
  await page.goto(`${at.baseUrl}/models?group=vip&find=vip`);
  const row = page.getByRole('row').filter({ hasText: 'sim-vip' });
  await row.getByText('$12.00').first().waitFor();
  expect(await row.textContent()).toContain('$60.00');
  expect(complaints).toEqual([]);
});

test('what a model is for is told beside its name, and models are found by it', async () => {
  const { page, complaints } = open;
  const name = ownName('vectors');
  await putModel(at, name, { operations: ['embed'], prices: { input: 130_000, output: 0 } });
  await page.goto(`${at.baseUrl}/models?group=vip&find=${name}`);
  const cell = page.getByRole('cell').filter({ hasText: name });
  await cell.getByText('Embeddings', { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'Purpose' }).click();
  await page.getByRole('option', { name: 'Conversations' }).click();
  await page.getByText('No model fits').waitFor();
  expect(complaints).toEqual([]);
});
