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
  ['/audit-log', (page) => page.getByText('sign-in', { exact: true }).first().waitFor()],
  ['/discounts', (page) => page.getByText('No discounts').or(page.getByText(/^× /)).first().waitFor()],
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
