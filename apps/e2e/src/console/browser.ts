import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { signIn } from '../house.ts';
import { testAdmin } from '../test-stack.ts';

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: [...CHROMIUM_ARGUMENTS], headless: true });

/** A page that keeps what its console complained of. */
export interface Visit {
  readonly page: Page;
  readonly complaints: string[];
}

export async function visit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints };
}

interface Person {
  readonly email: string;
  readonly password: string;
}

/** Signs in as people do. There is a limit for that, which all tests share: where it does not matter, {@link signInAt}. */
export async function signInByForm(
  page: Page,
  baseUrl: string,
  path = '/sign-in',
  person: Person = testAdmin,
): Promise<void> {
  await page.goto(`${baseUrl}${path}`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

const sessions = new Map<string, Promise<string>>();

/** Opens a page as somebody who is signed in; the tests of a file share a session for each person. */
export async function signInAt(
  page: Page,
  baseUrl: string,
  path = '/home',
  person: Person = testAdmin,
): Promise<void> {
  const cookies = (await sessionOf(baseUrl, person)).split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: baseUrl };
  });
  await page.context().addCookies(cookies);
  await page.goto(`${baseUrl}${path}`);
  const door = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.getByRole('navigation', { name: 'Pages' }).or(door).first().waitFor();
  if (!(await door.isVisible())) return;
  // A test before this one has signed out.
  sessions.delete(nameOf(baseUrl, person));
  await signInAt(page, baseUrl, path, person);
}

const nameOf = (baseUrl: string, { email }: Person): string => `${baseUrl} ${email}`;

/** The Cookie header of somebody's session. */
export function sessionOf(baseUrl: string, person: Person): Promise<string> {
  const name = nameOf(baseUrl, person);
  const known = sessions.get(name);
  if (known) return known;
  const made = signIn(baseUrl, person);
  sessions.set(name, made);
  return made;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds against WCAG 2.2 A and AA, and its own best practices, one line for each place. */
export async function barriers(page: Page): Promise<string[]> {
  // The content security policy forbids a script element; the debugger may still evaluate.
  await page.evaluate(axe);
  const results = (await page.evaluate('axe.run(document)')) as AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary ?? ''}`,
    ),
  );
}
