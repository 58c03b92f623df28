import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { testAdmin } from '../test-stack.ts';
import { watchPages } from './what-was-seen.ts';

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

/** A page that keeps what its console complained of. */
export interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

export async function visit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    // That there are no tries left says nothing about the page: signInAt waits for one.
    if (isComplaint && !/ 429 /.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

interface Person {
  readonly email: string;
  readonly password: string;
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const sessions = new Map<string, StorageState>();

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
 * Opens a page as somebody who is signed in: by the form the first time, and again where the session has ended. Of a known
 * session a fresh browser gets all that was kept of it: without its mark in the storage the console would not ask for it.
 */
export async function signInAt(
  page: Page,
  baseUrl: string,
  path = '/sign-in',
  person: Person = testAdmin,
): Promise<void> {
  const context = page.context();
  const who = `${person.email} at ${baseUrl}`;
  const known = sessions.get(who);
  const isKnown =
    known !== undefined && (await context.cookies()).length === 0 && (await stands(known, baseUrl));
  if (isKnown) await context.setStorageState(known);
  await page.goto(`${baseUrl}${isKnown ? findNext(path) : path}`);
  const door = page.getByRole('button', { name: 'Sign in', exact: true });
  const inside = page.getByRole('navigation', { name: 'Pages' });
  await inside.or(door).first().waitFor();
  if (!(await door.isVisible())) return;
  await signInByForm(page, person);
  await inside.waitFor();
  sessions.set(who, await context.storageState());
}

/** Where the sign-in leads. */
const findNext = (path: string): string =>
  path.startsWith('/sign-in') ? (new URL(path, 'http://console').searchParams.get('next') ?? '/') : path;

async function stands({ cookies }: StorageState, baseUrl: string): Promise<boolean> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return (await fetch(`${baseUrl}/api/auth/session`, { headers: { cookie } })).ok;
}

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
const AXE_RUN = `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], preload: false })})`;

/** What axe-core finds against WCAG 2.2 A and AA, and its own best practices, one line for each place. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AT_REST);
  // The content security policy forbids a script element; the debugger may still evaluate.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const results = (await page.evaluate(AXE_RUN)) as AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary ?? ''}`,
    ),
  );
}

/** Whether the page is in the dark theme. */
export const isDark = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>("document.documentElement.dataset.mantineColorScheme === 'dark'");
