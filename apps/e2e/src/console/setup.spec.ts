import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  OIDC_CLIENT,
  type RunningStack,
  startTestProvider,
  type TestProvider,
} from '@tollgate/harness';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { startTestStack } from '../test-stack.ts';
import { totpCode } from '../totp.ts';
import { barriers, openBrowser, visit } from './browser.ts';

const TOKEN = 'a token of the operator';
const home = mkdtempSync(join(tmpdir(), 'tollgate-setup-'));
let provider: TestProvider;
let stack: RunningStack;
let browser: Browser;
/** Of the owner's authenticator app. */
let secret = '';
beforeAll(async () => {
  [provider, browser] = await Promise.all([startTestProvider(), openBrowser()]);
  const port = await freePort();
  const settings = {
    SETUP_TOKEN: TOKEN,
    SECOND_FACTOR_REQUIRED_FOR: 'owner',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OIDC_CLIENT.id,
    OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
    OIDC_NAME: 'Acme SSO',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  stack = await startTestStack({
    home,
    port,
    env: (service) => Promise.resolve<Record<string, string>>(service === 'billing' ? settings : {}),
  });
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query('DELETE FROM billing.app_user');
  await client.end();
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await provider.stop();
  rmSync(home, { recursive: true, force: true });
});

test('the first owner of a new deployment signs up with the token, and nobody does so again', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const { page, complaints } = await visit(context);
  await page.goto(`${stack.baseUrl}/`);
  await page.waitForURL('**/setup');
  await page.getByRole('heading', { name: 'Set up Tollgate' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make the owner' }).click();
  expect(await page.getByText('Fill this in').count()).toBe(3);
  await page.getByLabel('Set-up token').fill('a guess of the token');
  await page.getByRole('textbox', { name: 'Organisation' }).fill('Acme');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('ada@acme.example');
  await page.getByLabel('Password', { exact: true }).fill('a long enough password');
  await page.getByRole('button', { name: 'Make the owner' }).click();
  await page.getByText('this is not the set-up token').waitFor();
  await page.getByLabel('Set-up token').fill(TOKEN);
  await page.getByRole('button', { name: 'Make the owner' }).click();
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  expect(await barriers(page)).toEqual([]);
  secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
  await page.getByRole('textbox', { name: 'Code that the app shows' }).fill(totpCode(secret, -1));
  await page.getByRole('button', { name: 'Add the app' }).click();
  await page.getByTestId('recovery-codes').waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.waitForURL('**/overview');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
  await context.close();

  const other = await browser.newContext({ locale: 'en-GB' });
  const { page: late } = await visit(other);
  await late.goto(`${stack.baseUrl}/setup`);
  await late.waitForURL('**/sign-in');
  await other.close();
});

test('a person signs in with the provider, and who is not known is told so', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const { page, complaints } = await visit(context);
  provider.says({ sub: 'eve', email: 'eve@acme.example', email_verified: true });
  await page.goto(`${stack.baseUrl}/sign-in?next=/usage`);
  await page.getByRole('button', { name: 'Sign in with Acme SSO' }).click();
  await page.getByText('Nobody here has your address').waitFor();
  expect(await barriers(page)).toEqual([]);
  const ada = { sub: 'ada', email: 'ada@acme.example', email_verified: true };
  provider.says(ada);
  await page.goto(`${stack.baseUrl}/usage`);
  await page.waitForURL('**/sign-in?next=*');
  await page.getByRole('button', { name: 'Sign in with Acme SSO' }).click();
  // The provider says nothing of a second factor: ours is asked for.
  await page.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret));
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForURL('**/usage');
  await page.getByText('No requests yet').waitFor();

  expect(complaints).toEqual([]);
  await context.close();

  const other = await browser.newContext({ locale: 'en-GB' });
  const { page: stepped } = await visit(other);
  provider.says({ ...ada, amr: ['pwd', 'mfa'] });
  await stepped.goto(`${stack.baseUrl}/sign-in?next=/usage`);
  await stepped.getByRole('button', { name: 'Sign in with Acme SSO' }).click();
  await stepped.waitForURL('**/usage');
  await stepped.getByText('No requests yet').waitFor();
  await other.close();
});
