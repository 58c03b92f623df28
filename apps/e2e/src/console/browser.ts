import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { signIn } from '../shared-stack.ts';
import { testAdmin } from '../test-stack.ts';
import { unwatch, watch, watchPages } from './what-was-seen.ts';

declare global {
  /** The test runner's: what it answers is added to the error of each test and hook that fails. */
  var whenTestFails: (tell: () => Promise<string>) => void;
}

let browser: Promise<Browser> | undefined;

/** The one browser of a worker, which ends with it: files and tests keep apart by contexts, which they close. */
export async function openBrowser(): Promise<Browser> {
  if (!(await browser)?.isConnected()) browser = launch();
  return browser as Promise<Browser>;
}

/** Each test and hook that fails tells what was on its pages. */
async function launch(): Promise<Browser> {
  const launched = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGUMENTS],
    headless: true,
  });
  globalThis.whenTestFails(watchPages(launched));
  return launched;
}

/** How most tests look at the console. What moves would be drawn frame by frame, and waited for. */
const DESK = {
  viewport: { width: 1440, height: 900 },
  locale: 'en-GB',
  colorScheme: 'light',
  reducedMotion: 'reduce',
} as const;
/** A document of every origin that is not the console: nothing runs there, and its storage can be reached. */
const PLAIN = '/healthz';
const RESTING_AT_MOST = 3;

/** For a look of its own, such as a phone or another language; who opens it closes it. */
export const openContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  (await openBrowser()).newContext({ ...DESK, ...options });

const desks = new WeakSet<BrowserContext>();
/**
 * Those that tests have left, with nothing of these tests in them. A new one costs a process and all scripts of the console
 * once more: a second of a processor, where one that was left needs a third of that.
 */
const resting: { readonly context: BrowserContext; readonly page: Page }[] = [];
/** The pages of those that were taken again. */
const waiting = new WeakMap<BrowserContext, Page>();

/** A context in which nobody is signed in; `leave` gives it back. */
export async function openDesk(): Promise<BrowserContext> {
  const launched = await openBrowser();
  const kept = resting.pop();
  if (kept?.context.browser() === launched && !kept.page.isClosed()) {
    waiting.set(kept.context, kept.page);
    return kept.context;
  }
  const context = await openContext();
  desks.add(context);
  return context;
}

/** Closes a context, or clears it for the next test; what cannot be cleared is closed. */
export async function leave(context: BrowserContext): Promise<void> {
  const [page, ...others] = context.pages();
  if (!page || !desks.has(context) || resting.length >= RESTING_AT_MOST) return context.close();
  try {
    await Promise.all(others.map((other) => other.close()));
    await clear(context, page);
    resting.push({ context, page });
  } catch {
    await context.close();
  }
}

async function clear(context: BrowserContext, page: Page): Promise<void> {
  unwatch(page);
  await Promise.all([context.unrouteAll(), page.unrouteAll(), context.clearPermissions()]);
  await page.goto(new URL(PLAIN, page.url()).href);
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
  await page.setViewportSize(DESK.viewport);
  await page.emulateMedia({ colorScheme: DESK.colorScheme, reducedMotion: DESK.reducedMotion });
  await page.mouse.move(0, 0);
}

/** The page of a context that was left before, else a new one. */
async function findPage(context: BrowserContext): Promise<Page> {
  const page = waiting.get(context);
  if (!page) return context.newPage();
  waiting.delete(context);
  watch(page);
  return page;
}

/** A page that keeps what its console complained of. */
export interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

/**
 * That there are no tries left says nothing about the page: the sign-in waits for one. Nor does it that a test beside this one
 * published meanwhile: the page makes its change again on top.
 */
const EXPECTED = / (?:429|412) /;

export async function visit(context: BrowserContext): Promise<Visit> {
  const page = await findPage(context);
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !EXPECTED.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

interface Person {
  readonly email: string;
  readonly password: string;
}

/** Cookies of those who have signed in, by who they are and where. */
const sessions = new Map<string, string>();

/** Presses a button. All tests together have ten tries a minute of a kind: where others have used them up, it waits. */
export async function pressUntilTaken(page: Page, button: Locator, path: string): Promise<void> {
  for (;;) {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith(path)),
      button.click(),
    ]);
    if (answer.status() !== 429) return;
    await sleep(Number(answer.headers()['retry-after'] ?? '1') * 1_000);
  }
}

/** Sends the form of the sign-in. */
export const enter = (page: Page): Promise<void> =>
  pressUntilTaken(page, page.getByRole('button', { name: 'Sign in', exact: true }), '/api/auth/login');

/** Fills and sends the form that the page shows. */
export async function signInByForm(page: Page, person: Person = testAdmin): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await enter(page);
}

/**
 * Gives a page the session of somebody, who signs in by a call where there is none that still stands: the cookies, and the
 * mark without which the console would not ask for them.
 */
export async function takeSession(page: Page, baseUrl: string, person: Person = testAdmin): Promise<void> {
  const who = `${person.email} at ${baseUrl}`;
  let cookie = sessions.get(who);
  if (cookie === undefined || !(await stands(cookie, baseUrl))) cookie = await signIn(baseUrl, person);
  sessions.set(who, cookie);
  await giveSession(page, baseUrl, cookie);
}

/** The same with the Cookie header of a session. */
export async function giveSession(page: Page, baseUrl: string, cookie: string): Promise<void> {
  await page.context().addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { name, value: value.join('='), url: baseUrl, httpOnly: true };
    }),
  );
  await page.goto(`${baseUrl}${PLAIN}`);
  await page.evaluate("localStorage.setItem('tollgate.signed-in', 'yes')");
}

/** Opens a page as somebody who is signed in. */
export async function signInAt(
  page: Page,
  baseUrl: string,
  path = '/',
  person: Person = testAdmin,
): Promise<void> {
  await takeSession(page, baseUrl, person);
  await page.goto(`${baseUrl}${path}`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

const stands = async (cookie: string, baseUrl: string): Promise<boolean> =>
  (await fetch(`${baseUrl}/api/auth/session`, { headers: { cookie } })).ok;

const EMPTY = '/no-such-page';

/**
 * Goes to a page inside the console, as a link does, in place of loading all again: over a page that has nothing, so that
 * what is waited for cannot be found on the page before.
 */
export async function goInside(page: Page, path: string): Promise<void> {
  const push = (to: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(to)})`);
  const empty = page.getByText('There is no such page');
  await push(EMPTY);
  await empty.waitFor();
  await page.mouse.move(0, 0);
  if (path === EMPTY) return;
  await push(path);
  await empty.waitFor({ state: 'detached' });
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Colours that fade into one another are those of no theme; what moves for ever is not waited for. */
const AT_REST = `Promise.all(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished.catch(() => undefined))).then(() => undefined)`;

/** Telling where everything stands that is well takes longer than finding what is not. */
const AXE_OPTIONS = { resultTypes: ['violations'], preload: false };
const AXE_RUNS = {
  everything: AXE_OPTIONS,
  /** What a theme can break in a page in which everything was looked at in the other one. */
  colours: { ...AXE_OPTIONS, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
};

/** What axe-core finds against WCAG 2.2 A and AA, and its own best practices, one line for each place. */
export async function barriers(page: Page, what: keyof typeof AXE_RUNS = 'everything'): Promise<string[]> {
  await page.evaluate(AT_REST);
  // The content security policy forbids a script element; the debugger may still evaluate.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(AXE_RUNS[what])})`)) as AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary ?? ''}`,
    ),
  );
}

/** Whether the page is in the dark theme. */
export const isDark = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>("document.documentElement.dataset.mantineColorScheme === 'dark'");

/** Where the decimal point of each amount of a table stands, from the left, with what the amount is; of all or of some place. */
export const findPoints = (page: Page, place = ''): Promise<{ text: string; left: number }[]> =>
  page.evaluate(`[...document.querySelectorAll('${place} .tg-places')].flatMap((cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const place = node.data.indexOf('.');
      if (place < 0) continue;
      const range = document.createRange();
      range.setStart(node, place);
      range.setEnd(node, place + 1);
      return [{ text: node.data, left: Math.round(range.getBoundingClientRect().left) }];
    }
    return [];
  })`);

/** What of a page can be clicked and begins or ends beyond its edges; the headers of cards are heard only. */
export const findHiddenControls = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main :is([role=tab], button, a, input):not([role=columnheader] *)')].flatMap((control) => {
  const { left, right, width } = control.getBoundingClientRect();
  const isOutside = left < -1 || right > document.documentElement.clientWidth + 1;
  return width > 1 && isOutside && control.checkVisibility()
    ? [control.textContent || control.ariaLabel || control.outerHTML]
    : [];
})`);
