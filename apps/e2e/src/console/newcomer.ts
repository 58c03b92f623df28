import type { Page } from 'playwright-core';
import { admin, openSession, signIn, type TestStack } from '../shared-stack.ts';
import { giveSession } from './browser.ts';

export interface Newcomer {
  readonly email: string;
  readonly password: string;
  readonly accountId: string;
  /** The session that came with joining. */
  readonly joined: string;
  /** A session beside that one. */
  readonly cookie: string;
}

/** Somebody with an account of their own, who was invited to it and has joined. How the page of an invitation does it, `people.spec.ts` shows. */
export async function inviteNewcomer(
  at: TestStack,
  role: 'member' | 'finance' | 'admin',
  timeZone = 'UTC',
): Promise<Newcomer> {
  const name = `newcomer-${Date.now()}-${Math.floor(Math.random() * 1e6)}`;
  const account = await admin(at, 'POST', '/api/accounts', { name, time_zone: timeZone });
  const email = `${name}@e2e.example`;
  const password = 'a long enough password';
  const { token } = await admin(at, 'POST', `/api/accounts/${account.id}/invites`, { email, role });
  const joined = await openSession(at.baseUrl, '/api/links/use', { token, name: 'New Comer', password });
  const cookie = await signIn(at.baseUrl, { email, password });
  return { email, password, accountId: account.id, joined, cookie };
}

/** The same, with a page that has the session. */
export async function enterAs(
  at: TestStack,
  page: Page,
  role: 'member' | 'finance' | 'admin',
  timeZone = 'UTC',
): Promise<Newcomer> {
  const newcomer = await inviteNewcomer(at, role, timeZone);
  await giveSession(page, at.baseUrl, newcomer.joined);
  return newcomer;
}
