import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import { formatUsd } from '@tollgate/money';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { type Books, expectedCost, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { admin, type TestStack, type MadeKey, makeKey, signIn } from '../shared-stack.ts';
import { ownName } from '../pools/own-pool.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { barriers, leave, openDesk, signInAt, type Visit, visit } from './browser.ts';

// What goes back to an older version fits no more once somebody else has published: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-publish-'));
let stack: RunningStack;
let at: TestStack;
let books: Books;
const model = ownName('priced');
/** Gateways that miss the news of a publication ask every ten seconds. */
const BOOKED_WITHIN_MS = 30_000;
let context: BrowserContext;
let open: Visit;
let key: MadeKey;
let firstVersion: number;
beforeAll(async () => {
  stack = await startTestStack({ home, port: await freePort() });
  at = { ...stack, home, cookie: await signIn(stack.baseUrl, testAdmin) };
  books = openBooks(stack.databaseUrl);
  const { version } = await admin(at, 'PUT', `/api/catalogue/models/${model}`, {
    vendor: 'openai',
    prices: { input: 2_000_000, output: 8_000_000 },
  });
  firstVersion = version;
  key = await makeKey(at, { name: model, group: 'vip' });
}, 120_000);
beforeEach(async () => {
  context = await openDesk();
  open = await visit(context);
});
afterEach(() => leave(context));
afterAll(async () => {
  await books?.close();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** Asks the model and answers the exact charge, as the books have it; it must follow from the prices it names. */
async function askAndCharge(): Promise<{ charge: string; version: number }> {
  const answer = await call(`${at.baseUrl}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key.key}` },
    body: { model, messages: [{ role: 'user', content: 'What do you cost?' }] },
  });
  expect(answer.status).toBe(200);
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(BigInt(row.cost_pico)).toBe(await expectedCost(at, row));
  return { charge: `$${formatUsd(BigInt(row.cost_pico))}`, version: row.snapshot_version };
}

/** The prices that requests are admitted under have reached every gateway. */
function chargedUnder(version: number): Promise<string> {
  const check = async () => {
    const { charge, version: admitted } = await askAndCharge();
    return admitted >= version && charge;
  };
  return waitFor(check, `usage that is booked under version ${version}`, BOOKED_WITHIN_MS);
}

async function liveVersion(page: Page): Promise<number> {
  const text = await page
    .getByText(/^Version \d+ is live$/)
    .first()
    .textContent();
  return Number(/\d+/.exec(text ?? '')?.[0]);
}

const usageRow = (page: Page, charge: string) =>
  page
    .getByRole('row')
    .filter({ hasText: model })
    .filter({ has: page.getByText(charge, { exact: true }) });

/** It asks first: a day's work is gone with it. */
async function discard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Discard the draft' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard the draft' }).click();
}

test('a price that is published in the console is what the next request is charged, and can be taken back', async () => {
  const { page, complaints } = open;
  const first = await chargedUnder(firstVersion);
  await signInAt(page, at.baseUrl, '/catalogue');
  await page.getByRole('textbox', { name: 'Find by name or description' }).fill(model);
  await page.getByRole('button', { name: model, exact: true }).click();
  const editor = page.getByRole('dialog', { name: `Model ${model}` });
  await editor.getByRole('textbox', { name: 'Input', exact: true }).fill('5.123455');
  await editor.getByRole('textbox', { name: 'Output', exact: true }).fill('oops');
  const target = editor.getByRole('combobox', { name: 'Into the draft' });
  const draft = await target.inputValue();
  await editor.getByRole('button', { name: 'Save to the draft' }).click();
  await editor.getByText('A price such as 2.50').waitFor();
  await editor.getByRole('textbox', { name: 'Output', exact: true }).fill('20');
  await editor.getByRole('button', { name: 'Save to the draft' }).click();
  await editor.waitFor({ state: 'hidden' });
  await page.getByText('Changed in the draft').waitFor();
  expect((await askAndCharge()).charge).toBe(first);

  await page.getByRole('button', { name: 'Review and publish' }).click();
  const difference = page.getByRole('region', { name: model });
  await difference.getByText('$5.123455').waitFor();
  expect(await difference.getByRole('row').allTextContents()).toEqual([
    'Input$2.00→$5.123455+156.2%',
    'Output$8.00→$20.00+150%',
  ]);

  await page.getByRole('combobox', { name: 'Usage of' }).click();
  await page.getByRole('option', { name: 'This month so far' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const line = page.getByRole('region', { name: 'Differences by account and model' });
  await line.getByRole('row').filter({ hasText: model }).getByText(/^\+\$/).waitFor();

  await page.getByRole('button', { name: 'Publish now' }).click();
  const published = await liveVersion(page);
  const dearer = await chargedUnder(published);
  expect(dearer).not.toBe(first);
  await page.goto(`${at.baseUrl}/usage?model=${model}&key=${key.id}`);
  await usageRow(page, dearer).first().waitFor();
  await usageRow(page, dearer).first().getByRole('button').click();
  await page.getByRole('dialog', { name: 'Request' }).getByText('$5.123455').waitFor();
  await page.keyboard.press('Escape');

  // The second draft of a day has a name of its own.
  await page.goto(`${at.baseUrl}/catalogue?edit=${model}`);
  await waitFor(async () => (await target.inputValue()) === `${draft}-2`, 'a name that is free');
  await page.goto(`${at.baseUrl}/catalogue?tab=versions`);
  await page.getByRole('button', { name: `Actions for Version ${firstVersion}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Roll back to it' }).click();
  const dialog = page.getByRole('dialog', { name: `Roll back to version ${firstVersion}` });
  await dialog.getByRole('switch', { name: 'Upstreams and pools too' }).click();
  await dialog.getByRole('button', { name: 'Create draft' }).click();
  await difference.getByText('+', { exact: false }).or(difference.getByText('$2.00')).first().waitFor();
  await page.getByRole('button', { name: 'Publish now' }).click();
  const restored = await liveVersion(page);
  expect(await chargedUnder(restored)).toBe(first);
  expect(complaints).toEqual([]);
}, 120_000);

test('a draft that cannot be published says why, and is discarded without a trace', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl, '/catalogue?tab=vendors');
  await page.getByRole('button', { name: 'Actions for openai', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const name = ownName('broken');
  const dialog = page.getByRole('dialog', { name: 'Remove openai?' });
  await dialog.getByRole('combobox', { name: 'Into the draft' }).fill(name);
  await dialog.getByRole('button', { name: 'Remove in the draft' }).click();
  await page.getByRole('button', { name: 'Review and publish' }).click();
  await page.getByText(`models.${model}.vendor: There is no vendor “openai”.`).waitFor();
  expect(await page.getByRole('button', { name: 'Publish now' }).isDisabled()).toBe(true);
  await discard(page);
  await page.getByText(`The draft ${name} is discarded`).waitFor();
  const { items } = await admin(at, 'GET', '/api/catalogue/drafts?limit=100');
  expect(items.map((each) => each.name)).not.toContain(name);
  expect(complaints).toEqual([]);
});

test('what is sold beside tokens needs its price, and is seen in the draft', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl, `/catalogue?edit=${model}`);
  const editor = page.getByRole('dialog', { name: `Model ${model}` });
  const draft = ownName('searches');
  await editor.getByRole('combobox', { name: 'Into the draft' }).fill(draft);
  const sold = editor.getByRole('combobox', { name: 'Sold at a price' });
  await sold.click();
  await page.getByRole('option', { name: 'Web search', exact: true }).click();
  await page.getByRole('option', { name: 'Service tiers', exact: true }).click();
  // Escape would close the drawer with the list.
  await sold.press('Tab');
  const save = editor.getByRole('button', { name: 'Save to the draft' });
  await save.click();
  await editor.getByText('It is sold, so it needs a price').waitFor();
  await editor.getByText('Service tiers are sold: state at least one beside Fast').waitFor();
  await editor.getByRole('textbox', { name: 'Searches', exact: true }).fill('10.5');
  await editor.getByRole('textbox', { name: 'Flex' }).fill('half');
  await save.click();
  await editor.getByText('A decimal such as 2 or 0.5, of three places at most').waitFor();
  await editor.getByRole('textbox', { name: 'Flex' }).fill('0.5');
  await editor.getByRole('button', { name: 'Add a region' }).click();
  await editor.getByRole('textbox', { name: 'Region' }).fill('us');
  await editor.getByRole('textbox', { name: 'Share' }).fill('1.1');
  expect(await barriers(page)).toEqual([]);
  await save.click();
  await editor.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Review and publish' }).click();
  const difference = page.getByRole('region', { name: model }).getByRole('row');
  await difference.filter({ hasText: 'Sold' }).first().waitFor();
  expect((await difference.allTextContents()).sort()).toEqual([
    'Features · Service tiersSold',
    'Features · Web searchSold',
    'Regions · us× 1.1',
    'Searches$10.50 / 1K',
    'Service tiers · Flex× 0.5',
  ]);
  const { faults, changes } = await admin(at, 'GET', `/api/catalogue/drafts/${draft}`);
  expect(faults).toEqual([]);
  expect(changes).toMatchObject([
    {
      entry: {
        unit_prices: { searches: 10_500_000_000 },
        service_tiers: { flex: '0.5' },
        regions: { us: '1.1' },
        features: { web_search: 'priced', service_tier: 'priced' },
      },
    },
  ]);
  await discard(page);
  await page.getByText(`The draft ${draft} is discarded`).waitFor();
  expect(complaints).toEqual([]);
});

test('a draft waits for its day, and is taken off the schedule', async () => {
  const { page, complaints } = open;
  const name = ownName('later');
  await admin(at, 'PUT', `/api/catalogue/drafts/${name}`, {
    reason: 'A new vendor',
    changes: [{ op: 'put', section: 'vendors', entry: { name: ownName('vendor') } }],
  });
  await signInAt(page, at.baseUrl, `/catalogue?tab=changes&draft=${name}`);
  await admin(at, 'PUT', `/api/catalogue/drafts/${name}/schedule`, { effective_at: '2031-01-31T12:00:00Z' });
  await page.reload();
  await page
    .getByText(/^Goes live Jan 31, 2031/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Take off the schedule' }).click();
  await page.getByText('Not published').waitFor();
  await discard(page);
  await page.getByText(`The draft ${name} is discarded`).waitFor();
  expect(complaints).toEqual([]);
});

test('a provider is added on one page in under ten clicks, and the next request is served by it', async () => {
  const { page, complaints } = open;
  let clicks = 0;
  const press = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  await signInAt(page, at.baseUrl, '/upstreams');
  await press(page.getByRole('button', { name: 'Add a provider' }));
  const dialog = page.getByRole('dialog', { name: 'Add a provider' });
  await press(dialog.getByRole('combobox', { name: 'Provider' }));
  await press(page.getByRole('option', { name: 'OpenAI', exact: true }));
  await press(dialog.getByLabel('API key', { exact: true }));
  await page.keyboard.insertText('simulator-credential');
  // Here the simulator stands for OpenAI, at another address.
  await press(dialog.getByRole('button', { name: 'Name and address' }));
  await dialog.getByLabel('Another address, such as that of a proxy').fill(`${at.simulatorUrl}/v1`);
  await press(dialog.getByRole('switch', { name: 'Allow private addresses' }));
  await press(dialog.getByRole('button', { name: 'Test, and list its models' }));
  await dialog.getByText(/^It works: \d+ ms$/).waitFor();

  // Of the list prices those of the models that the provider says it has, with their source.
  await dialog.getByText('3 models picked').waitFor();
  const row = dialog.getByRole('row').filter({ has: page.getByText('gpt-4o', { exact: true }) });
  expect(await row.textContent()).toBe('gpt-4o$2.50$10.00');
  await dialog
    .getByRole('link', { name: /^Read here on 20/ })
    .first()
    .waitFor();
  await press(dialog.getByRole('button', { name: 'Publish 3 models' }));
  await dialog.waitFor({ state: 'hidden' });
  expect(clicks).toBeLessThan(10);

  const { key: asking } = await makeKey(at, { group: 'default' });
  const served = await waitFor(async () => {
    const answer = await call(`${at.baseUrl}/v1/chat/completions`, {
      headers: { authorization: `Bearer ${asking}` },
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] },
    });
    return answer.status === 200 ? answer : undefined;
  }, 'an answer of the new provider');
  const row2 = await books.usage(served.headers.get('x-request-id') ?? '');
  expect(row2).toMatchObject({
    upstream: 'openai',
    pool: 'openai',
    cost_pico: String(1 * 2_500_000 + 2 * 10_000_000),
  });
  expect(complaints).toEqual([]);
});
