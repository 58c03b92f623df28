import { waitFor } from '@tollgate/harness';
import type { BrowserContext, Page } from 'playwright-core';
import { call } from '../call.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import {
  makeOwnPool,
  ownName,
  type OwnSimulator,
  putUpstream,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import { barriers, leave, openDesk, signInAt, type Visit, visit } from './browser.ts';

const at = sharedStack();
let context: BrowserContext;
let open: Visit;
let own: OwnSimulator;
beforeAll(async () => {
  own = await startOwnSimulator();
});
beforeEach(async () => {
  await own.reset();
  context = await openDesk();
  open = await visit(context);
});
afterEach(() => leave(context));
afterAll(() => own.close());

const doings = (page: Page, name: string) =>
  page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();

/** The page looks again, as it does when somebody comes back to it after a while, and draws what it sees. */
async function comeBack(page: Page): Promise<void> {
  const looked = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/api/catalogue');
  await page.evaluate(
    "{ const { now } = Date; Date.now = () => now() + 60_000; dispatchEvent(new Event('visibilitychange')); }",
  );
  await (await looked).finished();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}

async function statusOf({ key, model }: { key: string; model: string }): Promise<number> {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
  const headers = { authorization: `Bearer ${key}` };
  return (await call(`${at.baseUrl}/v1/chat/completions`, { headers, body })).status;
}

test('an upstream that is switched off on the page gets no requests until it is switched on', async () => {
  const { page, complaints } = open;
  const name = ownName('switched');
  await putUpstream(at, name, own.url, [`${name}-key`]);
  const pool = await makeOwnPool(at, { members: [{ upstream: name }] });
  await waitFor(async () => (await statusOf(pool)) === 200, 'the first answer');
  await signInAt(page, at.baseUrl, '/upstreams');
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText('Ready', { exact: true }).waitFor();

  await doings(page, name);
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await row.getByText('Disabled').waitFor();
  await waitFor(async () => (await statusOf(pool)) !== 200, 'the upstream to be left alone');
  const before = (await own.requests()).length;
  expect(await statusOf(pool)).toBeGreaterThanOrEqual(400);
  expect((await own.requests()).length).toBe(before);

  await doings(page, name);
  await page.getByRole('menuitem', { name: 'Enable' }).click();
  await row.getByText('Disabled').waitFor({ state: 'hidden' });
  await waitFor(async () => (await statusOf(pool)) === 200, 'the upstream to serve again');
  expect(complaints).toEqual([]);
});

test('a refused credential is seen, tested, replaced and used again, and its secret is never shown', async () => {
  const { page, complaints } = open;
  const name = ownName('refused');
  const bad = `${name}-bad`;
  await putUpstream(at, name, own.url, [bad]);
  const pool = await makeOwnPool(at, { members: [{ upstream: name }] });
  await own.script({ status: 401 }, { credential: bad });
  await waitFor(
    async () => (await statusOf(pool)) >= 500 && (await own.requests(bad)).length > 0,
    'a refusal',
  );
  await signInAt(page, at.baseUrl, `/upstreams?open=${name}`);
  const card = page.getByRole('dialog').getByRole('region', { name: bad });
  await card.getByText('Credential refused').first().waitFor();
  await card.getByRole('button', { name: `Test ${bad}` }).click();
  await card.getByText('Credential refused (401)', { exact: true }).waitFor();

  const good = `${name}-good`;
  await card.getByRole('button', { name: 'Replace' }).click();
  await card.getByLabel('New secret', { exact: true }).fill(good);
  await card.getByRole('button', { name: 'Replace' }).click();
  await waitFor(async () => (await statusOf(pool)) === 200, 'an answer with the new secret');
  expect((await own.requests(good)).length).toBeGreaterThan(0);
  await card.getByRole('button', { name: `Test ${bad}` }).click();
  await card.getByText(/^It works: \d+ ms$/).waitFor();
  expect(await page.content()).not.toContain(good);

  await card.getByText('Credential refused').first().waitFor({ state: 'hidden' });
  await own.script({ status: 401 }, { credential: good });
  await waitFor(async () => (await statusOf(pool)) >= 500, 'the new one to be refused too');
  await card.getByText('Credential refused').first().waitFor();
  await own.script({}, { credential: good });
  await card.getByRole('button', { name: 'Enable again' }).click();
  await waitFor(async () => (await statusOf(pool)) === 200, 'the credential to be used again', 30_000);

  // A secret that is gone cannot be had back: it is asked first.
  const question = page.getByRole('dialog', { name: `Remove ${bad}?` });
  await card.getByRole('button', { name: 'Remove' }).click();
  await question.getByText('It is the last credential').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await statusOf(pool)).toBe(200);
  await card.getByRole('button', { name: 'Remove' }).click();
  await question.getByRole('button', { name: 'Remove' }).click();
  await card.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
}, 90_000);

test('a discount that is given on the page is paid, and told in the audit log', async () => {
  const { page, complaints } = open;
  const account = await admin(at, 'POST', '/api/accounts', { name: ownName('Discounted') });
  await signInAt(page, at.baseUrl, '/discounts');
  await page.getByRole('button', { name: 'Add discounts' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add discounts' });
  const { name } = await admin(at, 'GET', `/api/accounts/${account.id}`);
  await dialog.getByRole('combobox', { name: 'Account' }).fill(name);
  await page.getByRole('option', { name }).click();
  await dialog.getByRole('textbox', { name: 'Share' }).fill('0.75');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('row').filter({ hasText: name }).getByText('× 0.75 for every model').waitFor();
  const { catalogue } = await admin(at, 'GET', '/api/catalogue');
  expect(catalogue.discounts).toContainEqual({ account_id: account.id, models: ['*'], ratio: '0.75' });

  await page.goto(`${at.baseUrl}/audit-log?action=account.`);
  const sentence = `Account “${name}” was created`;
  await page.getByRole('button', { name: sentence }).click();
  const drawer = page.getByRole('dialog', { name: sentence });
  await drawer.getByText(account.id).first().waitFor();
  await drawer.getByRole('row').filter({ hasText: name }).waitFor();

  await page.goto(`${at.baseUrl}/discounts`);
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByRole('button', { name: `Actions for the discounts of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page
    .getByRole('dialog', { name: /^Remove the discounts/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await row.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a list is ordered by what its figures are worth, and given back as it came', async () => {
  const { page, complaints } = open;
  const prefix = ownName('ordered');
  const ratios = ['0.9', '10', '0.85'];
  const nameOf = (ratio: string) => `${prefix}-${ratio.replace('.', '-')}`;
  for (const ratio of ratios)
    await admin(at, 'PUT', `/api/catalogue/groups/${nameOf(ratio)}`, { ratio, models: ['*'] });
  await signInAt(page, at.baseUrl, `/catalogue?tab=groups&find=${prefix}`);
  const shown = () => page.getByRole('cell').getByText(/^× /).allTextContents();
  const header = page.getByRole('columnheader', { name: 'Ratio' });
  await header.waitFor();
  const before = await shown();
  for (const [sorted, order] of [
    ['descending', ['× 10', '× 0.9', '× 0.85']],
    ['ascending', ['× 0.85', '× 0.9', '× 10']],
    [null, before],
  ] as const) {
    await header.getByRole('button').click();
    expect(await shown()).toEqual(order);
    expect(await header.getAttribute('aria-sort')).toBe(sorted);
  }
  for (const ratio of ratios) await admin(at, 'DELETE', `/api/catalogue/groups/${nameOf(ratio)}`);
  expect(complaints).toEqual([]);
});

test('an upstream is tried before it is published, and the next edit loses nothing of it', async () => {
  const { page, complaints } = open;
  const name = ownName('drafted');
  const shown = async () => {
    const { catalogue } = await admin(at, 'GET', '/api/catalogue');
    return catalogue.upstreams.find((upstream: { name: string }) => upstream.name === name);
  };
  await signInAt(page, at.baseUrl, '/upstreams');
  await page.getByRole('button', { name: 'Add an upstream' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add an upstream' });
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await dialog.getByRole('textbox', { name: 'Address' }).fill(own.url);
  await dialog.getByRole('combobox', { name: 'Authentication' }).click();
  await page.getByRole('option', { name: 'A header of another name' }).click();
  await dialog.getByRole('textbox', { name: 'Header', exact: true }).fill('authorization');
  await dialog.getByRole('textbox', { name: 'In front of the secret' }).fill('Bearer ');
  const tryIt = dialog.getByRole('button', { name: 'Test as it stands here' });
  await tryIt.click();
  await dialog.getByText('Enter the secret').waitFor();
  await dialog.getByLabel(/^Secret/).fill(`${name}-secret`);
  await dialog.getByRole('switch', { name: 'Allow private addresses' }).click();
  await own.script({ status: 401 }, { credential: `${name}-secret` });
  await tryIt.click();
  await dialog.getByText('Credential refused (401)').waitFor();
  await own.script({}, { credential: `${name}-secret` });
  await tryIt.click();
  await dialog.getByText(/^It works: \d+ ms$/).waitFor();
  expect(await shown()).toBeUndefined();

  await dialog.getByRole('combobox', { name: 'Add the costs of a model' }).fill('sim-chat');
  await page.getByRole('option', { name: 'sim-chat', exact: true }).click();
  const cost = dialog.getByRole('region', { name: 'Costs of sim-chat' });
  await cost.getByRole('textbox', { name: 'Output', exact: true }).fill('7.5');
  await cost.getByRole('textbox', { name: 'Searches', exact: true }).fill('10');
  await dialog.getByRole('button', { name: 'Other paths' }).click();
  await dialog.getByRole('textbox', { name: 'List models' }).fill('/v1/models');
  expect(await barriers(page)).toEqual([]);
  // What somebody else publishes meanwhile of another kind is no reason to refuse it.
  await admin(at, 'PUT', `/api/catalogue/vendors/${ownName('beside')}`, {});
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const made = await shown();
  if (!made) throw new Error(`There is no upstream ${name}.`);
  expect(made).toMatchObject({
    auth: { kind: 'static', header: 'authorization', prefix: 'Bearer ' },
    paths: { 'openai-chat': { models: '/v1/models' } },
    costs: { 'sim-chat': { prices: { output: 7_500_000 }, unit_prices: { searches: 10_000_000_000 } } },
    credentials: [{ name: 'default', has_secret: true }],
  });

  await page.goto(`${at.baseUrl}/upstreams?edit=${name}`);
  const edited = page.getByRole('dialog', { name: `Upstream ${name}` });
  await edited.getByLabel('Tags', { exact: true }).fill('eu');
  await edited.getByLabel('Tags', { exact: true }).press('Enter');
  const { name: _, credentials, ...others } = made;
  const theirs = { idle_timeout_ms: 90_000, tags: ['us'] };
  await admin(at, 'PUT', `/api/catalogue/upstreams/${name}`, { ...others, ...theirs });
  await comeBack(page);
  await edited.getByRole('button', { name: 'Publish' }).click();
  await edited.getByText('Changed meanwhile').waitFor();
  expect(await shown()).toEqual({ ...made, ...theirs });
  await edited.getByRole('button', { name: 'Keep mine' }).click();
  await edited.getByRole('button', { name: 'Publish' }).click();
  await edited.waitFor({ state: 'hidden' });
  expect(await shown()).toEqual({ ...made, ...theirs, credentials, tags: ['eu'] });
  await admin(at, 'DELETE', `/api/catalogue/upstreams/${name}`);
  expect(complaints.filter((text) => !/ 401 | 412 /.test(text))).toEqual([]);
}, 60_000);

test('a limit that is set on the page is published, and the others stay', async () => {
  const { page, complaints } = open;
  const before = await admin(at, 'GET', '/api/catalogue');
  await signInAt(page, at.baseUrl, '/limits');
  const part = page.getByRole('region', { name: 'Each key' });
  const field = part.getByRole('textbox', { name: 'Concurrent requests' });
  await field.fill('321');
  // What somebody else publishes meanwhile takes nothing away that is typed.
  await admin(at, 'PUT', `/api/catalogue/vendors/${ownName('meanwhile')}`, {});
  await comeBack(page);
  expect(await field.inputValue()).toBe('321');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page
    .getByText(/^Version \d+ is live$/)
    .first()
    .waitFor();
  const after = await admin(at, 'GET', '/api/catalogue');
  expect(after.catalogue.limits).toEqual({
    ...before.catalogue.limits,
    key: { ...after.catalogue.limits.key, concurrent_requests: 321 },
  });
  await admin(at, 'PUT', '/api/catalogue/limits', before.catalogue.limits);
  // Tests beside this one publish too: the page is told so, and puts its limits on top of theirs.
  expect(complaints.filter((text) => !/ 412 /.test(text))).toEqual([]);
});

test('the system page shows every gateway with the prices that it serves', async () => {
  const { page, complaints } = open;
  await signInAt(page, at.baseUrl, '/system');
  const table = page.getByRole('table', { name: 'Gateways' });
  await waitFor(
    async () => (await table.getByRole('row').count()) === at.gatewayUrls.length + 1,
    'the gateways',
  );
  await waitFor(
    async () => {
      // Tests beside this one publish too.
      const { version } = await admin(at, 'GET', '/api/catalogue');
      return (await table.getByText(`Version ${version}`).count()) === at.gatewayUrls.length;
    },
    'every gateway to serve what is published',
    30_000,
  );
  for (const part of ['PostgreSQL', 'Redis', 'Pricing', 'Books'])
    await page.getByRole('region', { name: part }).getByText('Operational').waitFor();
  expect(complaints).toEqual([]);
});
