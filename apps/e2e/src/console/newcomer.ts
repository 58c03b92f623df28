import type { Page } from 'playwright-core';
import { admin, type TestStack, signIn } from '../shared-stack.ts';
import { pressUntilTaken } from './browser.ts';

export interface Newcomer {
  readonly email: string;
  readonly password: string;
  readonly accountId: string;
  /** A session beside the one of the page. */
  readonly cookie: string;
}

/** Somebody with an account of their own, who is invited to it and comes in with this page. */
export async function enterAs(
  at: TestStack,
  page: Page,
  role: 'member' | 'finance' | 'admin',
  timeZone = 'UTC',
): Promise<Newcomer> {
  const name = `newcomer-${Date.now()}-${Math.floor(Math.random() * 1e6)}`;
  const account = await admin(at, 'POST', '/api/accounts', { name, time_zone: timeZone });
  const email = `${name}@e2e.example`;
  const password = 'a long enough password';
  const { path } = await admin(at, 'POST', `/api/accounts/${account.id}/invites`, {
    email,
    role,
  });
  await page.goto(`${at.baseUrl}${path}`);
  await page.getByRole('textbox', { name: 'Your name' }).fill('New Comer');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await pressUntilTaken(page, page.getByRole('button', { name: 'Join' }), '/api/links/use');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const cookie = await signIn(at.baseUrl, { email, password });
  return { email, password, accountId: account.id, cookie };
}
