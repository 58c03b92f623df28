import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { waitFor } from '@tollgate/harness';
import { parse } from 'csv-parse/sync';
import type { BrowserContext, Page } from 'playwright-core';
import { openBooks } from '../books.ts';
import { call } from '../call.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { leave, openDesk, signInAt, type Visit, visit } from './browser.ts';

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

/** The list of a page as the file that it saves. */
async function saveCsv(page: Page): Promise<Record<string, string>[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  return parse(await readFile(await download.path()), { columns: true });
}

test('a month is closed for good by who says so, and verified', async () => {
  const { page, complaints } = open;
  const { id } = await admin(at, 'POST', '/api/accounts', { name: `Month ${Date.now()}` });
  const { month } = await books.one(
    `UPDATE billing.account SET created_at = date_trunc('month', now() AT TIME ZONE 'UTC') - interval '10 days'
     WHERE id = $1 RETURNING to_char(created_at, 'YYYY-MM') AS month`,
    [id],
  );
  await signInAt(page, at.baseUrl, `/periods?account=${id}`);
  await page.getByRole('button', { name: 'Close a month' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close a month' });
  await dialog.getByRole('textbox', { name: 'Month' }).fill(month ?? '');
  // Billing may have closed it by itself a moment ago; closing it again answers what is there.
  await dialog.getByRole('checkbox', { name: 'Of all accounts that can close it' }).uncheck();
  await dialog.getByRole('button', { name: 'Close month' }).click();
  await dialog.getByText('Confirm that it is for good').waitFor();
  await dialog.getByRole('checkbox', { name: /for good$/ }).check();
  await dialog.getByRole('button', { name: 'Close month' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: 'Closed' }).filter({ hasText: '$0.00' });
  await row.getByRole('button').click();
  await page.getByRole('dialog').getByText('Hash of this month').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Verify this account' }).click();
  await page.getByText('1 closed month is what was frozen').waitFor();
  expect(complaints).toEqual([]);
}, 90_000);

test('the ledger is audited, from where the last audit ended or from its start', async () => {
  const { page, complaints } = open;
  const audit = async () => (await admin(at, 'GET', '/api/ledger/audits')).items?.[0];
  const said = async () => {
    const text = page.getByRole('status').getByText(/The books are right|differences? w/);
    await text.waitFor({ timeout: 60_000 });
    return [await text.textContent(), (await audit())?.from_start];
  };
  const { id } = await admin(at, 'POST', '/api/ledger/audits', {});
  // One that still runs reads as much, and would be the answer to who asks for less.
  const isOver = async () =>
    (await admin(at, 'GET', `/api/ledger/audits/${id}` as '/api/ledger/audits/{id}')).ended_at !== null;
  await waitFor(isOver, 'the end of the audit', 60_000);
  await signInAt(page, at.baseUrl, '/ledger');
  await page.getByRole('button', { name: 'Audit the ledger' }).click();
  await page.getByText('were found right before').waitFor({ timeout: 60_000 });
  expect(await said()).toEqual(['The books are right', false]);
  await page.getByRole('button', { name: 'Read all of them again' }).click();
  await page.getByText('were found right before').waitFor({ state: 'detached', timeout: 60_000 });
  expect(await said()).toEqual(['The books are right', true]);
  expect(complaints).toEqual([]);
}, 90_000);

test('an invoice is compared, and what only the upstream says is marked', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl, '/reconciliation?create=true');
  const dialog = page.getByRole('dialog', { name: 'Compare an invoice' });
  await dialog.getByRole('textbox', { name: 'Upstream' }).fill('e2e-invoice');
  await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
  await dialog.getByText('Choose the invoice').waitFor();
  const choose = (text: string) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'invoice.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
  await choose('when,model\n2026-11-21,m\n');
  await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  // More than a table draws at once, which the file has nevertheless.
  const models = Array.from({ length: 205 }, (_, index) => `m${index}`);
  const lines = models.map((model) => `2026-11-20,${model},2,6,10,1234.000042`);
  await choose(`day,model,requests,input_tokens,output_tokens,amount_usd\n${lines.join('\n')}\n`);
  await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('table', { name: 'Model by model, day by day' }).getByRole('row').nth(1);
  await row.getByText('Only theirs').waitFor();
  await row.getByText('-$1,234.000042', { exact: true }).waitFor();
  expect(await saveCsv(page)).toMatchObject(models.map(() => ({ 'theirs.amount_usd': '1234.000042' })));
  await page.getByRole('button', { name: 'Show more (155 left)' }).click();
  await page.getByRole('button', { name: 'Show more (105 left)' }).waitFor();
  await page.getByRole('table', { name: 'Earlier comparisons' }).getByText('e2e-invoice').first().waitFor();
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('codes are shown once, redeemed once, and good for nothing when they are taken back', async () => {
  const { page, complaints } = open;
  const note = `Booth ${Date.now()}`;
  await signInAt(page, at.baseUrl, '/redemption-codes?create=true');
  const making = page.getByRole('dialog', { name: 'New codes' });
  await making.getByRole('textbox', { name: 'What they are for' }).fill(note);
  await making.getByRole('textbox', { name: 'Amount each, in USD' }).fill('2.50');
  await making.getByRole('textbox', { name: 'How many' }).fill('3');
  expect(await making.getByTestId('sum-in-words').textContent()).toBe('seven US dollars and fifty cents');
  await making.getByRole('button', { name: 'Create codes' }).click();
  const codes = ((await page.getByTestId('new-codes').textContent()) ?? '').split('\n');
  expect(codes).toHaveLength(3);
  await page.getByRole('checkbox', { name: 'I have the codes' }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: note });
  await row.getByText('0 of 3').waitFor();
  expect(await page.content()).not.toContain(codes[0]);

  const redeem = async (code: string) => {
    await page.getByRole('button', { name: /owner@e2e/ }).click();
    await page.getByRole('menuitem', { name: 'Redeem a code' }).click();
    const box = page.getByRole('dialog', { name: 'Redeem a code' });
    await box.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase());
    await box.getByRole('button', { name: 'Redeem' }).click();
    return box;
  };
  await redeem(codes[0] ?? '');
  await page.getByText('Your account was given $2.50').waitFor();
  await row.getByText('1 of 3').waitFor();

  await row.getByRole('button', { name: `Actions for ${note}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const revoking = page.getByRole('dialog', { name: 'Revoke 2 codes?' });
  await revoking.getByRole('textbox', { name: 'Reason' }).fill('The list was published by mistake');
  await revoking.getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Nothing left').waitFor();
  const box = await redeem(codes[1] ?? '');
  await box.getByText('This code is not valid any more.').waitFor();

  // The file has the batches that are not loaded yet, too.
  const again = await call(`${at.baseUrl}/api/redemption/batches`, {
    headers: { cookie: at.cookie, 'idempotency-key': randomUUID() },
    body: { amount_usd: '1', count: 1, note: `${note}, again`, expires_at: null },
  });
  expect(again.status).toBe(201);
  await page.route('**/api/redemption/batches?limit=50', (route) =>
    route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }),
  );
  await page.reload();
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  expect(await row.count()).toBe(1);
  const notes = (await saveCsv(page)).map((batch) => batch['note']);
  expect(notes).toEqual(expect.arrayContaining([note, `${note}, again`]));
  expect(complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
}, 90_000);
