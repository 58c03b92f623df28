import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, waitFor } from '@tollgate/harness';
import type { BrowserContext, Page } from 'playwright-core';
import { admin, type TestStack, makeKey, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';
import { barriers, goInside, isDark, openContext, signInAt, type Visit, visit } from './browser.ts';

// Lists are as long here as this file makes them: that needs a stack of its own.
const home = mkdtempSync(join(tmpdir(), 'tollgate-what-opens-'));
const KEY = 'What opens';
/** So many that a list of them scrolls. */
const ACCOUNTS = 12;
let stack: RunningStack;
let at: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ home, port: await freePort() });
  at = { ...stack, home, cookie: await signIn(stack.baseUrl, testAdmin) };
  await makeKey(at, { name: KEY });
  for (let number = 1; number <= ACCOUNTS; number += 1)
    await admin(at, 'POST', '/api/accounts', { name: `Account ${number}` });
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
}, 60_000);

const doings = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const menu = (page: Page) => page.getByRole('menu').waitFor();
const listbox = (page: Page) => page.getByRole('option').first().waitFor();

/** What opens on a page, where, and how; the last step waits until it is there. */
const OPENED: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
  ['the menu of the account', '/keys', (page) => doings(page, /e2e\.example/).then(() => menu(page))],
  ['the menu of a key', '/keys', (page) => doings(page, `Actions for ${KEY}`).then(() => menu(page))],
  [
    'the question before a key is deleted',
    '/keys',
    async (page) => {
      await doings(page, `Actions for ${KEY}`);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'the dialog that changes a key, with its models',
    '/keys',
    async (page) => {
      await doings(page, `Actions for ${KEY}`);
      await page.getByRole('menuitem', { name: 'Change', exact: true }).click();
      await page.getByRole('combobox', { name: 'Models' }).click();
      await listbox(page);
    },
  ],
  [
    'the dialog that rotates a key, with its overlaps',
    '/keys',
    async (page) => {
      await doings(page, `Actions for ${KEY}`);
      await page.getByRole('menuitem', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('combobox').click();
      await listbox(page);
    },
  ],
  [
    'the calendar of a new key',
    '/keys?create=true',
    async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Expires' }).click();
      await page.getByRole('button', { name: 'Next month' }).waitFor();
    },
  ],
  [
    'the days of the usage log',
    '/usage',
    async (page) => {
      await page.getByText('Period', { exact: true }).hover();
      await page.getByRole('button', { name: 'Period' }).click();
      await page.getByText('Last 30 days').waitFor();
    },
  ],
  [
    'a list to choose from',
    '/usage',
    async (page) => {
      await page.getByRole('combobox', { name: 'Model' }).click();
      await listbox(page);
    },
  ],
  [
    'the accounts to choose from',
    '/ledger',
    async (page) => {
      await page.getByRole('combobox', { name: 'Account' }).click();
      await listbox(page);
    },
  ],
  ['the menu of a person', '/users', (page) => doings(page, /^Actions for/).then(() => menu(page))],
  [
    'the columns of a list',
    '/keys',
    async (page) => {
      await doings(page, 'Columns');
      await page.getByRole('menuitemcheckbox', { name: 'Owner' }).waitFor();
    },
  ],
  [
    'the dialog that closes a month',
    '/periods?close=true',
    (page) => page.getByRole('dialog', { name: 'Close a month' }).waitFor(),
  ],
  [
    'the menu of a version',
    '/catalogue?tab=versions',
    (page) => doings(page, /^Actions for Version/).then(() => menu(page)),
  ],
  [
    'the operations of an account',
    '/accounts',
    async (page) => {
      await page.getByRole('link', { name: 'Account 1', exact: true }).click();
      await doings(page, /^Actions for/);
      await menu(page);
    },
  ],
  [
    'the menu of an upstream',
    '/upstreams',
    (page) => doings(page, 'Actions for simulator').then(() => menu(page)),
  ],
  [
    'an entry of the audit log',
    '/audit-log',
    async (page) => {
      await page.getByRole('cell').getByRole('button').first().click();
      await page.getByRole('dialog').getByText('What changed').waitFor();
    },
  ],
  [
    'the form for a code',
    '/keys',
    async (page) => {
      await doings(page, /e2e\.example/);
      await page.getByRole('menuitem', { name: 'Redeem a code' }).click();
      await page.getByRole('dialog', { name: 'Redeem a code' }).waitFor();
    },
  ],
  [
    'the palette',
    '/keys',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search, or run a command').waitFor();
    },
  ],
  [
    'the palette with what was found',
    '/keys',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search, or run a command').fill('dark');
      await page.getByRole('option').or(page.getByText('Use the dark theme')).first().waitFor();
    },
  ],
  [
    'a notice',
    '/keys',
    async (page) => {
      await doings(page, `Actions for ${KEY}`);
      await page.getByRole('menuitem', { name: /^(?:Dis|En)able$/ }).click();
      await page.getByRole('alert').waitFor();
    },
  ],
];

describe('there is no barrier, in either theme, in', () => {
  let context: BrowserContext;
  let inside: Visit;
  beforeAll(async () => {
    context = await openContext();
    inside = await visit(context);
    await signInAt(inside.page, at.baseUrl);
  });
  afterEach(async () => {
    await inside.page.keyboard.press('Escape');
    await goInside(inside.page, '/no-such-page');
    await inside.page.emulateMedia({ colorScheme: 'light' });
    await waitFor(async () => !(await isDark(inside.page)), 'the light theme');
  });
  afterAll(() => context.close());

  test.each(OPENED)('%s', async (_what, path, open) => {
    const { page, complaints } = inside;
    complaints.length = 0;
    await goInside(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await open(page);
    expect(await barriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitFor(() => isDark(page), 'the dark theme');
    expect(await barriers(page, 'colours')).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Menus come and go by degrees, as they do for most people. */
const MOVING = { reducedMotion: 'no-preference' } as const;

test('a menu is opened, walked through and closed with the keyboard, and gives the focus back', async () => {
  const context = await openContext(MOVING);
  const { page } = await visit(context);
  await signInAt(page, at.baseUrl, '/keys');
  const button = page.getByRole('button', { name: `Actions for ${KEY}` });
  await button.focus();
  await page.keyboard.press('Enter');
  const entries = page.getByRole('menuitem');
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  await waitFor(async () => (await focused()) === (await entries.first().textContent()), 'the first entry');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe(await entries.nth(1).textContent());
  await page.keyboard.press('Escape');
  await entries.first().waitFor({ state: 'detached' });
  await waitFor(
    () => button.evaluate((element) => element === element.ownerDocument.activeElement),
    'the focus',
  );
  await context.close();
});

/** React draws what is not urgent in a task that it posts: after so long from when the page says so. */
const SLOW_TASKS = `{
  const { MessageChannel } = window;
  window.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      const post = this.port2.postMessage.bind(this.port2);
      this.port2.postMessage = (message) => setTimeout(() => post(message), window.taskDelayMs ?? 0);
    }
  };
}`;

test('a menu that is loaded opens for a button that is pressed before anything more is drawn', async () => {
  const context = await openContext(MOVING);
  const { page } = await visit(context);
  await page.addInitScript(SLOW_TASKS);
  await signInAt(page, at.baseUrl, '/keys');
  await page.reload();
  const button = page.getByRole('button', { name: `Actions for ${KEY}` });
  await button.waitFor();
  const loaded = page.waitForResponse(/OpenableMenu/);
  await page.evaluate('void (window.taskDelayMs = 3_000)');
  await button.hover();
  await loaded;
  await page.waitForTimeout(1_000);
  await page.mouse.down();
  await page.waitForTimeout(3_000);
  await page.mouse.up();
  await menu(page);
  await context.close();
});

/** React takes more than fifty drawings in a row, each of which asks for the next, for one that never ends. */
const ROWS = 60;

test('a table of many rows loads its menus without a complaint', async () => {
  for (let number = 1; number <= ROWS; number += 1)
    await admin(at, 'PUT', `/api/catalogue/vendors/vendor-${number}`, {});
  const context = await openContext(MOVING);
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/catalogue?tab=vendors');
  await page.getByRole('button', { name: /^Show/ }).click();
  await doings(page, `Actions for vendor-${ROWS}`);
  await menu(page);
  expect(complaints).toEqual([]);
  await context.close();
});
