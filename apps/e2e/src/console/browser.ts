import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { testAdmin } from '../test-stack.ts';

export type Theme = 'light' | 'dark';

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

export async function signInAt(
  page: Page,
  baseUrl: string,
  path = '/sign-in',
  person: { readonly email: string; readonly password: string } = testAdmin,
): Promise<void> {
  await page.goto(`${baseUrl}${path}`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
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
