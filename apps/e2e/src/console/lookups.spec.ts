// What a page asks for beside its own data is refused once. The page, or the dialog over it, says so where one looks, and a
// click asks again.
import { waitFor } from '@tollgate/harness';
import type { Page, Request } from 'playwright-core';
import { call, GOOD } from '../call.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { barriers, goInside, leave, openDesk, signInAt, visit } from './browser.ts';
import { enterAs } from './newcomer.ts';

const at = sharedStack();

/** Refuses a kind of call; answers what lets it through again. A refusal is not tried again by itself, as a restart is. */
async function refuse(
  page: Page,
  path: string,
  which: (request: Request) => boolean = () => true,
): Promise<() => Promise<void>> {
  const error = { message: 'Not now.', type: 'rate_limit_error', param: null, code: null };
  const isCalled = ({ pathname }: URL) => pathname === path;
  await page.route(isCalled, (route) =>
    which(route.request()) ? route.fulfill({ status: 429, json: { error } }) : route.continue(),
  );
  return () => page.unroute(isCalled);
}

const alertOf = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'A part of this could not be loaded. Not now.' });

test.each([
  ['/usage', '/api/search', 'API key'],
  ['/ledger', '/api/accounts', 'Account'],
])('on %s a picker that cannot look up says so, and looks again', async (path, call, label) => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await makeKey(at);
  await signInAt(page, at.baseUrl, path);
  const allow = await refuse(page, call);
  const field = page.getByRole('combobox', { name: label });
  await field.click();
  await alertOf(page).waitFor();
  const again = page.getByRole('option', { name: 'Could not be loaded: try again' });
  await again.waitFor();
  expect(await barriers(page)).toEqual([]);
  await allow();
  await again.click();
  await alertOf(page).waitFor({ state: 'detached' });
  await field.click();
  await page.getByRole('option').first().waitFor();
  expect(await again.count()).toBe(0);
  // Neither has a list that holds nothing a barrier.
  await field.fill('nothing of that name');
  await page.getByRole('option', { name: /^No (?:key|account) fits$/, disabled: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await leave(context);
});

/** What is of a time that has ended, and not of now. */
const isOfPast = (request: Request): boolean => new URL(request.url()).searchParams.has('to');

test.each([
  ['/home', '/api/usage/summary'],
  ['/overview', '/api/overview'],
])('the chart of %s says that the time before could not be loaded', async (path, call) => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/settings');
  const allow = await refuse(page, call, isOfPast);
  await page.goto(`${at.baseUrl}${path}`);
  const missing = page.getByText('The previous period could not be loaded');
  await missing.waitFor();
  expect(await barriers(page)).toEqual([]);
  await allow();
  await alertOf(page).getByRole('button', { name: 'Try again' }).click();
  await missing.waitFor({ state: 'detached' });
  await alertOf(page).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await leave(context);
});

test('nothing is said to be well that nobody could look at', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/settings');
  const calls = ['/api/catalogue/health', '/api/system', '/api/requests/counts'];
  const allowed = await Promise.all(calls.map((call) => refuse(page, call)));
  await page.goto(`${at.baseUrl}/overview`);
  await page.getByText('Not everything has been looked at yet.').waitFor();
  await alertOf(page).waitFor();
  expect(await page.getByText('Nothing needs attention').count()).toBe(0);
  await page.goto(`${at.baseUrl}/home`);
  await alertOf(page).waitFor();
  expect(await page.getByText(/^None of 0 requests/).count()).toBe(0);
  await Promise.all(allowed.map((allow) => allow()));
  await alertOf(page).getByRole('button', { name: 'Try again' }).click();
  await alertOf(page).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await leave(context);
});

test('a dialog says what it could not offer, where the page behind it cannot be reached', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/settings');
  const allow = await refuse(page, '/api/pricing');
  await page.goto(`${at.baseUrl}/keys?create=true`);
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  const alert = dialog.getByRole('alert').filter({ hasText: 'A part of this could not be loaded. Not now.' });
  await alert.waitFor();
  await allow();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  await dialog.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: /^default/ }).waitFor();
  expect(complaints).toEqual([]);
  await leave(context);
});

/** A list whose next page is refused until it is let through, and is empty then; answers how often it was asked for. */
async function refuseNextPage(page: Page, path: string): Promise<{ asked: number; isOpen: boolean }> {
  const next = { asked: 0, isOpen: false };
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => {
      if (!new URL(route.request().url()).searchParams.has('cursor')) {
        const answer = (await (await route.fetch()).json()) as { readonly items: readonly unknown[] };
        // A few: the log asks for its next page when the end of this one is near.
        return route.fulfill({ json: { ...answer, items: answer.items.slice(0, 3), next: 'more' } });
      }
      next.asked += 1;
      const error = { message: 'Not now.', type: 'rate_limit_error', param: null, code: null };
      return next.isOpen
        ? route.fulfill({ json: { items: [], next: null } })
        : route.fulfill({ status: 429, json: { error } });
    },
  );
  return next;
}

test('the log says that it goes on where its next page is refused, and asks again when it is told to', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const { key } = await makeKey(at);
  const headers = { authorization: `Bearer ${key}` };
  await call(`${at.baseUrl}${GOOD.chat.path}`, { headers, body: GOOD.chat.body });
  const log = () => admin(at, 'GET', '/api/requests?limit=1');
  await waitFor(async () => (await log()).items.length > 0, 'a request in the log');
  const next = await refuseNextPage(page, '/api/requests');
  await signInAt(page, at.baseUrl, '/usage');
  const alert = page.getByRole('alert').filter({ hasText: 'Not now.' });
  await alert.waitFor();
  await page.waitForLoadState('networkidle');
  expect(next.asked).toBe(1);
  expect(await barriers(page)).toEqual([]);
  next.isOpen = true;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await alert.waitFor({ state: 'detached' });
  expect([next.asked, complaints]).toEqual([2, []]);
  await leave(context);
});

test('a list that is asked for more says why that did not come', async () => {
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  const next = await refuseNextPage(page, '/api/audit-log');
  await signInAt(page, at.baseUrl, '/audit-log');
  const more = page.getByRole('button', { name: 'Show earlier ones' });
  await more.click();
  await page.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
  next.isOpen = true;
  await more.click();
  await more.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await leave(context);
});

test.each([
  ['/keys', 'OpenableMenu', (page: Page) => page.getByRole('button', { name: 'Columns' })],
  ['/usage', 'LoadedSelect', (page: Page) => page.getByRole('combobox', { name: 'Model' })],
])(
  'on %s what opens and cannot be loaded is told, and the page heals by itself',
  async (path, part, find) => {
    const context = await openDesk();
    const { page } = await visit(context);
    await makeKey(at);
    await signInAt(page, at.baseUrl, '/settings');
    const files = `**/console-assets/${part}-*.js`;
    await page.route(files, (route) => route.abort());
    await page.goto(`${at.baseUrl}${path}`);
    await find(page).click();
    await page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded' }).waitFor();
    await page.unroute(files);
    await find(page).click();
    await page
      .getByRole(part === 'LoadedSelect' ? 'option' : 'menu')
      .first()
      .waitFor();
    await leave(context);
  },
);

test.each(['member', 'finance', 'admin'] as const)(
  'no page that a %s is offered asks for what they may not have',
  async (role) => {
    const context = await openDesk();
    const { page, complaints } = await visit(context);
    await enterAs(at, page, role);
    await page.goto(`${at.baseUrl}/settings`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const paths = await page.evaluate<string[]>(
      "[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))",
    );
    expect(paths.length).toBeGreaterThan(5);
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    for (const path of paths) {
      await goInside(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect([path, await page.getByText('A part of this could not be loaded.').count()]).toEqual([path, 0]);
    }
    expect([refused, complaints]).toEqual([[], []]);
    await leave(context);
  },
  60_000,
);
