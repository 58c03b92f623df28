import type { Browser, BrowserContext, Page } from 'playwright-core';
import { house } from '../house.ts';
import { barriers, openBrowser, signInAt, type Theme, visit } from './browser.ts';

const at = house();
const THEMES: readonly Theme[] = ['light', 'dark'];
const WIDTHS = [1440, 360];
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
  [
    '/usage',
    (page) =>
      page.getByRole('row').or(page.getByText('No requests yet')).first().waitFor({ state: 'attached' }),
  ],
  ['/models', (page) => page.getByText('sim-chat').first().waitFor()],
  ['/accounts', (page) => page.getByRole('row').nth(1).waitFor({ state: 'attached' })],
  ['/accounts?create=true', (page) => page.getByRole('dialog', { name: 'New account' }).waitFor()],
  [`/accounts/${at.accountId}`, (page) => page.getByText('Newest transactions').waitFor()],
  ['/ledger', (page) => page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()],
  ['/exports', (page) => page.getByRole('heading', { name: 'Exports', level: 1 }).waitFor()],
  ['/exports?create=export', (page) => page.getByRole('dialog', { name: 'New export' }).waitFor()],
  ['/exports?create=schedule', (page) => page.getByRole('dialog', { name: 'New schedule' }).waitFor()],
  ['/margins', (page) => page.getByRole('heading', { name: 'Margins', level: 1 }).waitFor()],
  ['/periods', (page) => page.getByRole('cell', { name: 'Open' }).waitFor()],
  ['/reconciliation?create=true', (page) => page.getByRole('dialog').waitFor()],
  ['/redemption-codes?create=true', (page) => page.getByRole('dialog', { name: 'New codes' }).waitFor()],
  ['/no-such-page', (page) => page.getByText('There is no such page').waitFor()],
];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const openContext = (theme: Theme, width: number): Promise<BrowserContext> =>
  browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });

const isTooWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.each(THEMES.flatMap((theme) => WIDTHS.map((width) => [theme, width] as const)))(
  'in the %s theme at %i pixels',
  (theme, width) => {
    let context: BrowserContext;
    beforeAll(async () => {
      context = await openContext(theme, width);
      const { page } = await visit(context);
      await page.goto(`${at.baseUrl}/sign-in`);
      if (width === 360) await signInNarrow(page);
      else await signInAt(page, at.baseUrl);
      await page.close();
    });
    afterAll(() => context.close());

    test.each(PAGES)('%s has no barrier, no complaint, and fits', async (path, isThere) => {
      const { page, complaints } = await visit(context);
      await page.goto(`${at.baseUrl}${path}`);
      await isThere(page);
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('/sign-in has no barrier, no complaint, and fits', async () => {
      const fresh = await openContext(theme, width);
      const { page, complaints } = await visit(fresh);
      await page.goto(`${at.baseUrl}/sign-in`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(complaints).toEqual([]);
      await fresh.close();
    });
  },
);

/** On a narrow screen the navigation is behind a button. */
async function signInNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signInAt(page, at.baseUrl);
}

test.each(['/sign-in', '/keys'])('the first view of %s needs less than 200 KB of script', async (path) => {
  const signedIn = await openContext('light', 1440);
  const { page: before } = await visit(signedIn);
  await signInAt(before, at.baseUrl);
  const context = path === '/sign-in' ? await openContext('light', 1440) : signedIn;
  const page = await context.newPage();
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
  expect(total).toBeLessThan(200_000);
  await context.close();
  await signedIn.close();
});

test('Chinese is spoken to a browser that wants it, and only its words are loaded', async () => {
  const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } });
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
