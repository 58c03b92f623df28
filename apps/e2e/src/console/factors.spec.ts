// A browser adds an app and a passkey, signs in with each, and proves once more who it is. The codes are computed here,
// the passkey is one of the browser's own virtual devices.
import type { BrowserContext, Page } from 'playwright-core';
import { openBooks } from '../books.ts';
import { sharedStack } from '../shared-stack.ts';
import { previousTotpCode, totpCode } from '../totp.ts';
import { barriers, enter, leave, openDesk, type Visit, visit } from './browser.ts';
import { enterAs, type Newcomer } from './newcomer.ts';

const running = sharedStack();
/** Passkeys are bound to a name, and the address of this machine has none. */
const at = { ...running, baseUrl: running.baseUrl.replace('127.0.0.1', 'localhost') };
const books = openBooks(at.databaseUrl);
const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await leave(context);
});
afterAll(() => books.close());

async function open(): Promise<Visit> {
  const context = await openDesk();
  contexts.push(context);
  return visit(context);
}

/** Shows the password; the page that comes then is that of the second step. */
async function showPassword(page: Page, { email, password }: Newcomer): Promise<void> {
  await page.goto(`${at.baseUrl}/sign-in`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await enter(page);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
}
async function showCode(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await page.getByRole('button', { name: 'Go on' }).click();
}
const isInside = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).waitFor();
const openSettings = async (page: Page) => {
  await page.goto(`${at.baseUrl}/settings`);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
};
/** Their last proof is of a time long gone. */
const forgetProof = ({ email }: Newcomer) =>
  books.one(
    `UPDATE billing.session SET data = jsonb_set(data, '{authenticatedAt}', '0')
     WHERE user_id = (SELECT id FROM billing.app_user WHERE email = $1)`,
    [email],
  );
/** The page says nothing but that the service refused what should be refused, also to who was signed out beneath it. */
const others = (complaints: readonly string[]) => complaints.filter((text) => !/ 40[013] /.test(text));

test('an app is added, signs in with its codes, and proves once more who one is', async () => {
  const { page, complaints } = await open();
  const me = await enterAs(at, page, 'member');
  await openSettings(page);
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  const adding = page.getByRole('dialog', { name: 'Add an authenticator app' });
  await adding.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  const secret = ((await adding.locator('code').textContent()) ?? '').replaceAll(' ', '');
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await adding.getByRole('textbox', { name: 'Code that the app shows' }).fill('000000');
  await adding.getByRole('button', { name: 'Add the app' }).click();
  await adding.getByText(/not the app’s code/).waitFor();
  await adding.getByRole('textbox', { name: 'Code that the app shows' }).fill(await previousTotpCode(secret));
  await adding.getByRole('button', { name: 'Add the app' }).click();
  const shown = page.getByRole('dialog', { name: 'Recovery codes' });
  await shown.getByRole('listitem').nth(9).waitFor();
  const codes = await shown.getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  expect(await barriers(page)).toEqual([]);
  await shown.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 left').waitFor();
  expect(await page.content()).not.toContain(codes[0]);
  expect(others(complaints)).toEqual([]);

  const next = await open();
  await showPassword(next.page, me);
  expect(await barriers(next.page)).toEqual([]);
  await showCode(next.page, '000000');
  await next.page.getByText(/This code is wrong/).waitFor();
  await showCode(next.page, totpCode(secret));
  await isInside(next.page);
  expect(others(next.complaints)).toEqual([]);

  const lost = await open();
  await showPassword(lost.page, me);
  await showCode(lost.page, codes[0] ?? '');
  await isInside(lost.page);
  await openSettings(lost.page);
  await lost.page.getByText('9 left').waitFor();

  await forgetProof(me);
  await lost.page.getByRole('button', { name: 'Remove the authenticator app' }).click();
  await lost.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  const proof = lost.page.getByRole('dialog', { name: 'Is it you?' });
  await proof.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
  expect(await barriers(lost.page)).toEqual([]);
  await proof.getByRole('button', { name: 'Go on' }).click();
  await proof.getByText(/This code is wrong or was used already/).waitFor();
  await proof.getByRole('textbox', { name: 'Code' }).fill(codes[1] ?? '');
  await proof.getByRole('button', { name: 'Go on' }).click();
  await lost.page.getByText('The authenticator app is removed').waitFor();
  await lost.page.getByText('An app on your phone that shows codes.').waitFor();
  expect(others(lost.complaints)).toEqual([]);
}, 90_000);

test('a passkey is added, signs in alone and after the password, proves who one is, and is removed', async () => {
  const { page, complaints } = await open();
  const me = await enterAs(at, page, 'member');
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await openSettings(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const adding = page.getByRole('dialog', { name: 'Add a passkey' });
  await adding.getByRole('textbox', { name: 'Name' }).fill('My laptop');
  expect(await barriers(page)).toEqual([]);
  await adding.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  const list = page.getByRole('list', { name: 'Passkeys' });
  await list.getByText('My laptop').waitFor();
  expect(await barriers(page)).toEqual([]);

  const signOut = () => page.evaluate(`fetch('/api/auth/logout', { method: 'POST' }).then(() => undefined)`);
  await signOut();
  await page.goto(`${at.baseUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await isInside(page);

  await signOut();
  await showPassword(page, me);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await isInside(page);

  await openSettings(page);
  await list.getByRole('button', { name: 'Rename My laptop' }).click();
  const renaming = page.getByRole('dialog', { name: /^Rename/ });
  await renaming.getByRole('textbox', { name: 'Name' }).fill('Old laptop');
  expect(await barriers(page)).toEqual([]);
  await renaming.getByRole('button', { name: 'Save' }).click();
  await list.getByText('Old laptop').waitFor();

  await forgetProof(me);
  await list.getByRole('button', { name: 'Remove Old laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  const proof = page.getByRole('dialog', { name: 'Is it you?' });
  await proof.getByRole('button', { name: 'Use a passkey' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  // A proof that is not given leaves everything as it is.
  await proof.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('That did not work').waitFor();
  await list.getByText('Old laptop').waitFor();
  await list.getByRole('button', { name: 'Remove Old laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await proof.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('The passkey is removed').waitFor();
  await list.waitFor({ state: 'detached' });

  // What is removed here signs nobody in, though the device still has it.
  await signOut();
  await page.goto(`${at.baseUrl}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page
    .getByText(/passkey/i)
    .and(page.getByRole('alert'))
    .waitFor();
  await devices.detach();
  expect(others(complaints)).toEqual([]);
}, 90_000);
