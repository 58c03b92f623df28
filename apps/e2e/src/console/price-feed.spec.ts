import type { BrowserContext } from 'playwright-core';
import { admin, sharedStack } from '../shared-stack.ts';
import { ownName } from '../pools/own-pool.ts';
import { barriers, leave, openDesk, signInAt, visit } from './browser.ts';

const at = sharedStack();
let context: BrowserContext;
beforeEach(async () => {
  context = await openDesk();
});
afterEach(() => leave(context));

test('a price file is compared, and what is picked of it goes into a draft', async () => {
  const { page, complaints } = await visit(context);
  const model = ownName('fed');
  const prices = { input: 2_000_000, output: 8_000_000 };
  await admin(at, 'PUT', `/api/catalogue/models/${model}`, { vendor: 'openai', prices });
  await signInAt(page, at.baseUrl, '/catalogue?tab=feed');
  const paste = page.getByRole('textbox', { name: 'Or paste it here' });
  await paste.fill('{"a": 1}');
  await page.getByText(/^This is no price file\./).waitFor();
  const added = ownName('listed');
  const price = (input: string, vendor: string) =>
    `{"input_cost_per_token":${input},"output_cost_per_token":8e-06,"litellm_provider":"${vendor}"}`;
  await paste.fill(`{"${model}":${price('2.5e-06', 'openai')},"${added}":${price('1e-06', 'openai')}}`);
  await page.getByText(/^1 changed, 1 new, 0 unchanged\.$/).waitFor();
  const row = page.getByRole('table', { name: 'What the file would change' }).getByRole('row');
  await row.filter({ hasText: model }).getByText('+25%').waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('checkbox', { name: `Pick ${added}` }).check();
  const draft = ownName('feed');
  await page.getByRole('combobox', { name: 'Into the draft' }).fill(draft);
  await page.getByRole('button', { name: 'Put 2 models into the draft' }).click();
  await page.getByRole('region', { name: added }).waitFor();
  const { changes, faults } = await admin(at, 'GET', `/api/catalogue/drafts/${draft}`);
  expect(faults).toEqual([]);
  expect(changes).toMatchObject([
    {
      entry: {
        name: model,
        prices: { input: 2_500_000 },
        price_source: { source: expect.stringMatching(/^https:/) },
      },
    },
    { entry: { name: added, vendor: 'openai', prices: { input: 1_000_000 } } },
  ]);
  await admin(at, 'DELETE', `/api/catalogue/drafts/${draft}`);
  await admin(at, 'DELETE', `/api/catalogue/models/${model}`);
  expect(complaints).toEqual([]);
});

test('models that an upstream has are fetched, and one that is added begins with what is known of it', async () => {
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/catalogue?tab=offers');
  const upstream = page.getByRole('region', { name: 'simulator' });
  await upstream.getByRole('button', { name: 'Fetch now: simulator' }).click();
  await upstream.getByText(/^Asked .* models, \d+ of them not in the catalogue$/).waitFor();
  expect(await barriers(page)).toEqual([]);
  await upstream.getByRole('button', { name: /^Add / }).first().click();
  const editor = page.getByRole('dialog', { name: 'Add a model' });
  expect(await editor.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).not.toBe('');
  expect(complaints).toEqual([]);
});
