import { waitFor } from '@tollgate/harness';
import OpenAI from 'openai';
import type { BrowserContext, Page } from 'playwright-core';
import { openBooks } from '../books.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { testAdmin } from '../test-stack.ts';
import {
  barriers,
  findHiddenControls,
  goInside,
  isDark,
  leave,
  openContext,
  openDesk,
  signInAt,
  takeSession,
  type Visit,
  visit,
} from './browser.ts';

const at = sharedStack();
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 900 };
/** Every page, what shows that it is there, and what to open on it. */
const PAGES: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  [
    '/keys',
    (page) =>
      page
        .getByText(/^sk-\w/)
        .first()
        .waitFor(),
  ],
  ['/keys?create=true', (page) => page.getByRole('dialog', { name: 'Create key' }).waitFor()],
  ['/home', (page) => page.getByRole('heading', { name: 'Spent today' }).waitFor()],
  ['/home?range=24h&by=key&measure=tokens', (page) => page.getByRole('slider').focus()],
  ['/settings', (page) => page.getByText('This session').waitFor()],
  ['/users', (page) => page.getByRole('table', { name: 'People' }).getByText(testAdmin.email).waitFor()],
  ['/users?invite=true', (page) => page.getByRole('dialog', { name: 'Invite somebody' }).waitFor()],
  [
    '/usage',
    (page) =>
      page.getByRole('row').or(page.getByText('No requests yet')).first().waitFor({ state: 'attached' }),
  ],
  ['/usage', openEntry],
  ['/models', (page) => page.getByText('sim-chat').first().waitFor()],
  [
    '/models?model=sim-claude',
    (page) =>
      page
        .getByRole('dialog')
        .getByRole('img', { name: /drawn as a line/ })
        .waitFor(),
  ],
  ['/playground', (page) => page.getByRole('button', { name: /^Explain/ }).waitFor()],
  ['/playground?model=sim-chat&beside=sim-claude', converse],
  ['/statements', (page) => page.getByText('Open', { exact: true }).first().waitFor()],
  [
    `/statements?month=${new Date().toISOString().slice(0, 7)}`,
    (page) => page.getByRole('table', { name: 'Usage by key' }).waitFor(),
  ],
  ['/accounts', (page) => page.getByRole('row').nth(1).waitFor({ state: 'attached' })],
  ['/accounts?create=true', (page) => page.getByRole('dialog', { name: 'New account' }).waitFor()],
  [`/accounts/${at.accountId}`, (page) => page.getByText('Newest transactions').waitFor()],
  ['/overview', (page) => page.getByRole('heading', { name: 'Needs attention' }).waitFor()],
  ['/ledger', (page) => page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()],
  ['/exports', (page) => page.getByRole('heading', { name: 'Exports', level: 1 }).waitFor()],
  ['/exports?create=export', (page) => page.getByRole('dialog', { name: 'New export' }).waitFor()],
  ['/exports?create=schedule', (page) => page.getByRole('dialog', { name: 'New schedule' }).waitFor()],
  ['/margins', (page) => page.getByRole('heading', { name: 'Margins', level: 1 }).waitFor()],
  ['/periods', (page) => page.getByRole('cell', { name: 'Open' }).waitFor()],
  ['/reconciliation?create=true', (page) => page.getByRole('dialog').waitFor()],
  ['/redemption-codes?create=true', (page) => page.getByRole('dialog', { name: 'New codes' }).waitFor()],
  ['/catalogue', (page) => page.getByText('sim-chat').first().waitFor()],
  ['/catalogue?tab=groups', (page) => page.getByText('Automatic groups').waitFor()],
  ['/catalogue?tab=versions', (page) => page.getByText('Live', { exact: true }).waitFor()],
  [
    '/catalogue?tab=versions&from=1&to=2',
    (page) => page.getByRole('heading', { name: 'Compared' }).waitFor(),
  ],
  ['/catalogue?edit=sim-claude', (page) => page.getByRole('dialog', { name: 'Model sim-claude' }).waitFor()],
  ['/catalogue?tab=groups&edit=vip', (page) => page.getByRole('dialog', { name: 'Group vip' }).waitFor()],
  ['/upstreams', (page) => page.getByRole('button', { name: 'Test simulator' }).waitFor()],
  ['/upstreams?tab=pools', (page) => page.getByRole('region', { name: 'simulated' }).waitFor()],
  [
    '/upstreams?open=simulator',
    (page) => page.getByRole('dialog', { name: 'Credentials of simulator' }).waitFor(),
  ],
  ['/upstreams?edit=simulator', (page) => page.getByRole('dialog', { name: 'Upstream simulator' }).waitFor()],
  [
    '/upstreams?tab=pools&edit=simulated',
    (page) => page.getByRole('dialog', { name: 'Pool simulated' }).waitFor(),
  ],
  ['/limits', (page) => page.getByRole('heading', { name: 'Each key' }).waitFor()],
  ['/system', (page) => page.getByRole('table', { name: 'Gateways' }).waitFor()],
  [
    '/audit-log?action=sign-in',
    (page) =>
      page
        .getByText(/signed in$/)
        .first()
        .waitFor(),
  ],
  ['/discounts', (page) => page.getByText('No discounts').or(page.getByText(/^× /)).first().waitFor()],
  ['/no-such-page', (page) => page.getByText('There is no such page').waitFor()],
];

const books = openBooks(at.databaseUrl);
/** The request that is opened: what other tests ask meanwhile may fail, and has no charge then. */
let requestId: string;
beforeAll(async () => {
  // There are two versions to compare.
  await admin(at, 'PUT', '/api/catalogue/vendors/every-page', {});
  const openai = new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: at.apiKey, maxRetries: 0 });
  const { response } = await openai.chat.completions
    .create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] })
    .withResponse();
  requestId = response.headers.get('x-request-id') ?? '';
  await books.usage(requestId);
});
afterAll(() => books.close());

async function openEntry(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Request id' }).fill(requestId);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/usage?*${requestId}*`);
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await page.getByRole('cell').getByRole('button').click();
  await page
    .getByRole('dialog', { name: 'Request' })
    .getByRole('row', { name: /^Charged/ })
    .waitFor();
}

/** A tool that is called, and an error. */
async function converse(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Call a tool/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Result of get_weather' }).nth(1).waitFor();
  await page.getByTestId('charge').nth(1).waitFor();
}

const isTooWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Looks at what is open in light and wide, then in dark and narrow: colours and widths have nothing to do with one another. */
async function isFlawless({ page, complaints }: Visit): Promise<void> {
  const missing = page.getByText('A part of this could not be loaded.');
  expect([await barriers(page), await isTooWide(page), await missing.count()]).toEqual([[], false, 0]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(NARROW);
  await waitFor(() => isDark(page), 'the dark theme');
  const looks = [await barriers(page), await isTooWide(page), await findHiddenControls(page)];
  expect([...looks, complaints]).toEqual([[], false, [], []]);
}

describe('no barrier, no complaint, and it fits, in both themes, wide and narrow:', () => {
  let context: BrowserContext;
  let inside: Visit;
  beforeAll(async () => {
    context = await openContext();
    inside = await visit(context);
    await signInAt(inside.page, at.baseUrl);
  });
  afterEach(async () => {
    // On a page that has nothing, which takes less than to draw the one before once more.
    await goInside(inside.page, '/no-such-page');
    await inside.page.setViewportSize(WIDE);
    await inside.page.emulateMedia({ colorScheme: 'light' });
    await waitFor(async () => !(await isDark(inside.page)), 'the light theme');
  });
  afterAll(() => context.close());

  test.each(PAGES)('%s', async (path, isThere) => {
    inside.complaints.length = 0;
    await goInside(inside.page, path);
    await isThere(inside.page);
    await isFlawless(inside);
  });

  test('a list that is being loaded moves for nobody who wants nothing to move', async () => {
    const { page } = inside;
    const held = Promise.withResolvers<void>();
    await page.route('**/api/audit-log?*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await goInside(page, '/audit-log?action=key-created');
    await page.locator('.mantine-Skeleton-root').first().waitFor();
    const countMoving = () => page.evaluate<number>('document.getAnimations().length');
    expect(await countMoving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await countMoving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    held.resolve();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await page.unrouteAll();
  });

  test('/sign-in', async () => {
    const fresh = await openDesk();
    const open = await visit(fresh);
    await open.page.goto(`${at.baseUrl}/sign-in`);
    await open.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await isFlawless(open);
    await leave(fresh);
  });

  test('an invitation', async () => {
    const { path } = await admin(at, 'POST', `/api/accounts/${at.accountId}/invites`, {
      email: 'every-page@e2e.example',
    });
    const fresh = await openDesk();
    const open = await visit(fresh);
    await open.page.goto(`${at.baseUrl}${path}`);
    await open.page.getByRole('heading', { name: /^Join/ }).waitFor();
    await isFlawless(open);
    await leave(fresh);
  });
});

test.each(['/sign-in', '/home'])('the first view of %s needs less than 150 KB of script', async (path) => {
  const context = await openDesk();
  const { page } = await visit(context);
  if (path !== '/sign-in') await takeSession(page, at.baseUrl);
  const sizes: number[] = [];
  await page.route('**/*.js', async (route) => {
    const answer = await fetch(route.request().url(), {
      headers: { 'accept-encoding': 'gzip' },
      method: 'HEAD',
    });
    sizes.push(Number(answer.headers.get('content-length')));
    await route.continue();
  });
  await page.goto(`${at.baseUrl}${path}`, { waitUntil: 'networkidle' });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(sizes.every((size) => size > 0)).toBe(true);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThan(150_000);
  await leave(context);
});

describe('a part that cannot be fetched is told, and the page heals by itself:', () => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await openDesk();
    ({ page } = await visit(context));
    await takeSession(page, at.baseUrl);
  });
  afterAll(() => leave(context));

  test.each([
    ['the page', 'RedemptionCodes-*.js', 'A part of this page could not be loaded'],
    ['its words', 'redemption-codes-*.js', 'A part of this page could not be loaded'],
    ['what every page begins with', 'base-*.js', 'The console could not be loaded whole'],
    ['the words of every page', 'common-*.js', 'The console could not be loaded whole'],
  ])('%s', async (_part, files, words) => {
    await page.route(`**/console-assets/${files}`, (route) => route.abort());
    await page.goto(`${at.baseUrl}/redemption-codes`);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    await page.unroute(`**/console-assets/${files}`);
    await page.getByRole('heading', { name: 'Redemption codes', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});

test('a dialog that did not come is asked for again, and the page stays as it is', async () => {
  const context = await openContext();
  const { page } = await visit(context);
  await signInAt(page, at.baseUrl, '/keys');
  await page.evaluate('window.isStill = true');
  let tries = 0;
  await page.route('**/console-assets/KeyDialog-*.js', (route) => {
    tries += 1;
    return tries === 1 ? route.abort() : route.continue();
  });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog', { name: 'Create key' }).waitFor();
  expect({ tries, isStill: await page.evaluate('window.isStill') }).toEqual({ tries: 2, isStill: true });
  await context.close();
});

test('Chinese is spoken to a browser that wants it, and only its words are loaded', async () => {
  const context = await openContext({ locale: 'zh-CN' });
  const { page, complaints } = await visit(context);
  await page.goto(`${at.baseUrl}/models`);
  await page.getByRole('heading', { name: '模型' }).waitFor();
  expect(await page.getAttribute('html', 'lang')).toBe('zh-CN');
  expect(await page.title()).toBe('模型 · Tollgate');
  await page.getByRole('button', { name: '偏好设置' }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
