import type { BrowserContext, Page } from 'playwright-core';
import { admin, sharedStack } from '../shared-stack.ts';
import { enter, leave, openDesk, pressUntilTaken, signInAt, visit } from './browser.ts';
import { enterAs, inviteNewcomer } from './newcomer.ts';

const at = sharedStack();
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await leave(context);
});

async function open(): Promise<{ page: Page; complaints: string[] }> {
  const context = await openDesk();
  contexts.push(context);
  return visit(context);
}

const PASSWORD = 'a long enough password';
/** Where a link is used up. */
const USE = '/api/links/use';
const linkOn = async (page: Page): Promise<string> =>
  (await page.getByTestId('made-link').textContent()) ?? '';

async function comeIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${at.baseUrl}/sign-in`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await enter(page);
}

test('an owner invites somebody, who comes in, is given another role, a new password, and is removed', async () => {
  const { page, complaints } = await open();
  await signInAt(page, at.baseUrl, '/users');
  const email = `grace-${Date.now()}@e2e.example`;
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await dialog.getByText('Enter an e-mail address').waitFor();
  await page.locator('input[type=email]:focus').waitFor();
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('radio', { name: 'Finance' }).click();
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const link = await linkOn(page);
  expect(link).toMatch(new RegExp(`^${at.baseUrl}/invite#[\\w-]{43}$`));
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(link);
  await page.getByRole('table', { name: 'Open invitations' }).getByText(email).waitFor();

  const grace = await open();
  await grace.page.goto(link);
  await grace.page.getByRole('heading', { name: 'Join' }).waitFor();
  await grace.page.getByRole('textbox', { name: 'Your name' }).fill('Grace Hopper');
  await grace.page.getByLabel('Password', { exact: true }).fill('short');
  await grace.page.getByRole('button', { name: 'Join' }).click();
  await grace.page.getByText('This is too short').waitFor();
  await grace.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await pressUntilTaken(grace.page, grace.page.getByRole('button', { name: 'Join' }), USE);
  await grace.page.waitForURL('**/home');
  expect(grace.complaints).toEqual([]);
  const again = await open();
  await again.page.goto(link);
  await again.page.getByText('This link was used already').waitFor();

  await page.reload();
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByText('Grace Hopper').waitFor();
  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Member' }).click();
  await row.getByText('Member').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Finance').waitFor();

  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Make a password link' }).click();
  const reset = await linkOn(page);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const forgetful = await open();
  await forgetful.page.goto(reset);
  await forgetful.page.getByLabel('Password', { exact: true }).fill('not forgotten this time');
  await pressUntilTaken(
    forgetful.page,
    forgetful.page.getByRole('button', { name: 'Set the password' }),
    USE,
  );
  await forgetful.page.waitForURL('**/home');
  await grace.page.goto(`${at.baseUrl}/keys`);
  await grace.page.waitForURL('**/sign-in?next=*');

  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await row.getByText('Disabled').waitFor();
  await comeIn(again.page, email, 'not forgotten this time');
  await again.page.getByText('Your access is disabled').waitFor();
  await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
}, 60_000);

test('an invitation that is taken back leads nowhere', async () => {
  const { page } = await open();
  await signInAt(page, at.baseUrl, '/users');
  const email = `back-${Date.now()}@e2e.example`;
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(email);
  await page.keyboard.press('Enter');
  const link = await linkOn(page);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText(`The invitation of ${email} is revoked`).waitFor();
  const { page: other } = await open();
  await other.goto(link);
  await other.getByText('This link works no more').waitFor();
});

test('a person sees where they are signed in, ends it, and changes their password', async () => {
  const { page, complaints } = await open();
  const me = await enterAs(at, page, 'member');
  const other = await open();
  await comeIn(other.page, me.email, me.password);
  await other.page.waitForURL('**/home');
  await page.goto(`${at.baseUrl}/settings`);
  const sessions = page.getByRole('list', { name: 'Active sessions' });
  await sessions.getByText('This session').waitFor();
  expect(await sessions.getByRole('listitem').count()).toBe(3);
  expect(await sessions.textContent()).toContain('Chrome on Linux');
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText('You are signed out everywhere else').waitFor();
  await other.page.goto(`${at.baseUrl}/keys`);
  await other.page.waitForURL('**/sign-in?next=*');

  await page.getByLabel('Current password').fill('a wrong one');
  await page.getByLabel('New password').fill('quite another password');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('this is not your password').waitFor();
  const wrong = page.getByLabel('Current password');
  expect(await wrong.getAttribute('aria-invalid')).toBe('true');
  const said = ((await wrong.getAttribute('aria-describedby')) ?? '').split(/\s+/);
  const texts = await Promise.all(said.map((id) => page.locator(`[id="${id}"]`).textContent()));
  expect(texts).toContain('This is not your password.');
  await page.getByLabel('Current password').fill(me.password);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password is changed').waitFor();
  await comeIn(other.page, me.email, 'quite another password');
  await other.page.waitForURL('**/home');
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

test('who could not be signed out is told so, and is still signed in', async () => {
  const { page } = await open();
  await enterAs(at, page, 'member');
  await page.goto(`${at.baseUrl}/settings`);
  const signOut = async () => {
    await page.getByRole('button', { name: /e2e\.example/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await page.route('**/api/auth/logout', (route) => route.abort());
  await signOut();
  await page.getByText('You are still signed in').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.unroute('**/api/auth/logout');
  await signOut();
  await page.waitForURL('**/sign-in');
  await page.goto(`${at.baseUrl}/settings`);
  await page.waitForURL('**/sign-in?next=*');
});

test('the people of an account are a click away from it', async () => {
  const { page, complaints } = await open();
  const { email, accountId } = await inviteNewcomer(at, 'member');
  const { name } = await admin(at, 'GET', `/api/accounts/${accountId}`);
  await signInAt(page, at.baseUrl, `/accounts/${accountId}`);
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'People' }).click();
  await page.waitForURL(`**/users?account=${accountId}`);
  await page.getByRole('row').filter({ hasText: email }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe(name);
  expect(complaints).toEqual([]);
});

test('members have no page of people', async () => {
  const { page } = await open();
  await enterAs(at, page, 'member');
  await page.goto(`${at.baseUrl}/users`);
  await page.getByText('This page is not for your role').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).waitFor();
});
