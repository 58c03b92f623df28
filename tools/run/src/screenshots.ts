// `npm run screenshots -- <directory> [parts of names]`: every page of the console in both themes, wide and narrow, and in
// Chinese, for which the machine must have letters (Debian: fonts-noto-cjk).
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { seedDemoData } from './seed-demo-data.ts';
import { type OwnStack, withOwnStack } from './own-stack.ts';
import { invited, newAt, withoutOwner } from './stubs.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const directory = resolve(
  process.argv[2] ?? join(process.env['TOLLGATE_HOME'] || tmpdir(), 'tollgate-screenshots'),
);

const names = process.argv.slice(3);

const THEMES = ['light', 'dark'] as const;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

const ENGLISH = 'en-US';
/** Every theme in every size; in Chinese one of each. */
const VIEWS = [
  ...THEMES.flatMap((theme) => SIZES.map((viewport) => ({ theme, viewport, locale: ENGLISH }))),
  { theme: 'light', viewport: SIZES[0], locale: 'zh-CN' },
  { theme: 'dark', viewport: SIZES[1], locale: 'zh-CN' },
] as const;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly isForVisitors?: boolean;
  /** What is done on the page before the picture is taken, in English alone. */
  readonly before?: (page: Page) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  { name: 'sign-in', path: '/sign-in', isForVisitors: true },
  { name: 'setup', path: '/sign-in', isForVisitors: true, before: withoutOwner },
  { name: 'invite', path: '/sign-in', isForVisitors: true, before: invited },
  { name: 'newcomer', path: '/models', before: newAt('/home') },
  { name: 'newcomer-keys', path: '/models', before: newAt('/keys') },
  { name: 'newcomer-usage', path: '/models', before: newAt('/usage') },
  { name: 'home', path: '/home' },
  {
    name: 'home-month',
    path: '/home?range=30d&by=key',
    before: (page) => page.getByRole('slider').press('Home'),
  },
  { name: 'keys', path: '/keys' },
  { name: 'keys-create', path: '/keys?create=true', before: (page) => page.getByRole('dialog').waitFor() },
  { name: 'usage', path: '/usage' },
  { name: 'usage-entry', path: '/usage', before: openEntry },
  { name: 'models', path: '/models', isForVisitors: true },
  { name: 'users', path: '/users' },
  {
    name: 'users-invite',
    path: '/users?invite=true',
    before: (page) => page.getByRole('dialog').waitFor(),
  },
  { name: 'settings', path: '/settings' },
  { name: 'models-entry', path: '/models?model=sim-claude', before: showModel },
  { name: 'playground', path: '/playground' },
  { name: 'playground-answer', path: '/playground?model=sim-chat&beside=sim-claude', before: compareModels },
  { name: 'playground-tool', path: '/playground?model=sim-responses', before: callTool },
  { name: 'statements', path: '/statements' },
  {
    name: 'statements-month',
    path: `/statements?month=${new Date().toISOString().slice(0, 7)}`,
    before: showMonth,
  },
  { name: 'statements-all', path: '/statements?account=all' },
  { name: 'accounts', path: '/accounts' },
  { name: 'account', path: '/accounts', before: openAccount },
  {
    name: 'account-grant',
    path: '/accounts',
    before: (page) => openAccount(page).then(() => checkGrant(page)),
  },
  { name: 'ledger', path: '/ledger' },
  { name: 'ledger-entries', path: '/ledger', before: openTransaction },
  { name: 'exports', path: '/exports' },
  {
    name: 'exports-create',
    path: '/exports?create=export',
    before: (page) => page.getByRole('dialog').waitFor(),
  },
  {
    name: 'exports-schedule',
    path: '/exports?create=schedule',
    before: (page) => page.getByRole('dialog').waitFor(),
  },
  { name: 'exports-manifest', path: '/exports', before: openManifest },
  { name: 'margins', path: '/margins' },
  { name: 'periods', path: '/periods', before: verifyMonths },
  { name: 'reconciliation', path: '/reconciliation' },
  { name: 'redemption-codes', path: '/redemption-codes' },
  { name: 'catalogue', path: '/catalogue' },
  { name: 'catalogue-groups', path: '/catalogue?tab=groups' },
  { name: 'catalogue-editor', path: '/catalogue?edit=sim-claude', before: openTier },
  { name: 'catalogue-changes', path: '/catalogue', before: draftPrices },
  { name: 'catalogue-versions', path: '/catalogue?tab=versions' },
  { name: 'upstreams', path: '/upstreams', before: testFirst },
  { name: 'upstreams-credentials', path: '/upstreams?open=simulator' },
  { name: 'upstreams-pools', path: '/upstreams?tab=pools' },
  { name: 'limits', path: '/limits' },
  { name: 'overview', path: '/overview' },
  { name: 'system', path: '/system' },
  { name: 'audit-log', path: '/audit-log' },
  { name: 'discounts', path: '/discounts' },
  { name: 'palette', path: '/keys', before: (page) => page.keyboard.press('Control+k') },
  { name: 'no-such-page', path: '/no-such-page' },
  // The last one: it leaves keys behind.
  { name: 'keys-made', path: '/keys?create=true', before: makeKey },
];

async function showModel(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('img', { name: /drawn as a line/ })
    .waitFor();
}

async function showMonth(page: Page): Promise<void> {
  await page.getByRole('table', { name: 'Usage by key' }).waitFor();
}

async function compareModels(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('What is the difference between a queue and a log?');
  await page.keyboard.press('Enter');
  await page.getByTestId('charge').nth(1).waitFor();
}

async function callTool(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Call a tool/ }).click();
  await page.getByRole('textbox', { name: 'Result of get_weather' }).waitFor();
  await page.getByTestId('charge').waitFor();
}

async function makeKey(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill('Invoice reader');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByTestId('new-key').waitFor();
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Northwind Robotics' }).click();
  await page.getByText('Newest transactions').waitFor();
}

async function checkGrant(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Grant credit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Amount in USD' }).fill('1250.40');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Welcome credit');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByTestId('sum-in-words').waitFor();
}

async function openTransaction(page: Page): Promise<void> {
  await page.getByRole('cell').getByRole('button').nth(2).click();
  await page.getByRole('dialog').getByRole('table').waitFor();
}

async function openManifest(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for Usage/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'See what is in it' }).click();
  await page.getByRole('dialog').getByText('cost_usd').first().waitFor();
}

async function verifyMonths(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Verify all accounts' }).click();
  await page.locator('[data-differs=false]').waitFor();
}

async function openEntry(page: Page): Promise<void> {
  await page.getByRole('cell').getByRole('button').nth(2).click();
  await page.getByRole('dialog').getByRole('table').waitFor();
}

async function testFirst(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test simulator' }).click();
  await page.getByRole('status').getByText(/ms$/).waitFor();
}

async function openTier(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Add a tier' }).click();
}

/** Makes a draft with other prices, or looks at the one that is there, and works out what they would have cost. */
async function draftPrices(page: Page): Promise<void> {
  for (const [name, kind, price] of [
    ['sim-claude', 'Output', '12.50'],
    ['sim-gemini', 'Input', '0.35'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click();
    const editor = page.getByRole('dialog');
    await editor.getByRole('textbox', { name: kind, exact: true }).fill(price);
    const target = editor.getByRole('combobox', { name: 'Into the draft' });
    if (await target.isVisible()) await target.fill('winter-prices');
    await editor.getByRole('button', { name: 'Save to the draft' }).click();
    await editor.waitFor({ state: 'hidden' });
  }
  await page.getByRole('button', { name: 'Review and publish' }).click();
  await page.getByRole('combobox', { name: 'Usage of' }).click();
  await page.getByRole('option', { name: 'This month so far' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Differences by account and model' }).waitFor();
  await page.evaluate('window.scrollTo(0, 0)');
}

async function signIn(page: Page, { baseUrl, admin }: OwnStack): Promise<void> {
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/overview');
}

async function take(browser: Browser, stack: OwnStack): Promise<void> {
  const first = await browser.newContext({ locale: 'en-US' });
  await signIn(await first.newPage(), stack);
  const storageState = await first.storageState();
  await first.close();
  for (const [number, picture] of PICTURES.entries()) {
    if (names.length > 0 && !names.some((part) => picture.name.includes(part))) continue;
    for (const { theme, viewport, locale } of VIEWS) {
      if (locale !== ENGLISH && picture.before) continue;
      const context = await browser.newContext({
        colorScheme: theme,
        viewport,
        deviceScaleFactor: 2,
        locale,
        reducedMotion: 'reduce',
        ...(picture.isForVisitors ? {} : { storageState }),
      });
      const language = locale === ENGLISH ? '' : `-${locale}`;
      const file = join(directory, `${number + 1}-${picture.name}${language}-${theme}-${viewport.width}.png`);
      await takeOne(context, stack.baseUrl, picture, file);
      await context.close();
    }
  }
}

async function takeOne(
  context: BrowserContext,
  baseUrl: string,
  picture: Picture,
  file: string,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${baseUrl}${picture.path}`, { waitUntil: 'networkidle' });
  await page.locator('h1, [role=dialog] h2').first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  await picture.before?.(page);
  // What fades or slides in has arrived by then.
  await page.waitForTimeout(400);
  await page.screenshot({ path: file });
  await page.close();
  say(file);
}

mkdirSync(directory, { recursive: true });
await withOwnStack(async (stack) => {
  await seedDemoData(stack);
  const browser = await chromium.launch({ executablePath: findChromium(say), args: [...CHROMIUM_ARGUMENTS] });
  try {
    await take(browser, stack);
  } finally {
    await browser.close();
  }
});
