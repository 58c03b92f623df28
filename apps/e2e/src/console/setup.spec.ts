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
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { startTestStack } from '../test-stack.ts';
import { previousTotpCode, totpCode } from '../totp.ts';
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

const FIRST = {
  en: {
    list: 'Get to your first real answer',
    add: 'Add a provider',
    provider: 'Provider',
    key: 'API key',
    more: 'Name and address',
    address: 'Another address, such as that of a proxy',
    private: 'Allow private addresses',
    test: 'Test, and list its models',
    works: /^It works/,
    publish: /^Publish \d+ models$/,
    ask: /^Ask gpt/,
    message: 'Message',
  },
  zh: {
    list: '获得第一个真实回答',
    add: '添加提供商',
    provider: '提供商',
    key: 'API key',
    more: '名称和地址',
    address: '其他地址，例如代理地址',
    private: '允许内网地址',
    test: '测试并获取模型列表',
    works: /^可用/,
    publish: /^发布/,
    ask: /^向 gpt/,
    message: '消息',
  },
};

/** From the list of what is to be done first to a first answer of a real upstream, in under ten clicks. */
async function connectProvider(page: Page, words: (typeof FIRST)['en']): Promise<void> {
  let clicks = 0;
  const press = async (target: Locator) => {
    clicks += 1;
    await target.click();
  };
  await page.getByText(words.list).waitFor();
  await press(page.getByRole('link', { name: words.add }));
  const dialog = page.getByRole('dialog', { name: words.add });
  await press(dialog.getByRole('combobox', { name: words.provider }));
  await press(page.getByRole('option', { name: 'OpenAI', exact: true }));
  await press(dialog.getByLabel(words.key, { exact: true }));
  await page.keyboard.insertText('simulator-credential');
  // Here a simulator stands for OpenAI, at another address.
  await press(dialog.getByRole('button', { name: words.more }));
  await dialog.getByLabel(words.address).fill(`${stack.simulatorUrl}/v1`);
  await press(dialog.getByRole('switch', { name: words.private }));
  await press(dialog.getByRole('button', { name: words.test }));
  await dialog.getByText(words.works).waitFor();
  await press(dialog.getByRole('button', { name: words.publish }));
  await press(page.getByRole('button', { name: words.ask }));
  await page.waitForURL('**/playground?model=gpt*');
  await page.getByRole('textbox', { name: words.message }).fill('Hello from the first owner');
  await page.keyboard.press('Enter');
  await page.getByText('Echo: Hello from the first owner').waitFor();
  await page.getByTestId('charge').waitFor();
  expect(clicks).toBeLessThan(10);
  // The list has ended with it.
  await page.goto(`${stack.baseUrl}/overview`);
  await page.getByRole('slider').waitFor();
  expect(await page.getByText(words.list).count()).toBe(0);
}

/** Takes away the provider, and what was served by it. */
async function forgetProvider(context: BrowserContext): Promise<void> {
  for (const entry of ['pools/openai', 'upstreams/openai']) {
    const answer = await context.request.delete(`${stack.baseUrl}/api/catalogue/${entry}`);
    expect([entry, answer.status(), answer.ok() ? '' : await answer.text()]).toEqual([
      entry,
      answer.status(),
      '',
    ]);
  }
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query(`DELETE FROM billing.served_hour WHERE upstream = 'openai'`);
  await client.end();
}

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
  await page.getByRole('textbox', { name: 'Code that the app shows' }).fill(await previousTotpCode(secret));
  await page.getByRole('button', { name: 'Add the app' }).click();
  await page.getByTestId('recovery-codes').waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.waitForURL('**/overview');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await connectProvider(page, FIRST.en);
  expect(await barriers(page)).toEqual([]);
  expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
  const state = await context.storageState();
  await context.close();

  // As if nothing had been done yet, for somebody who reads Chinese on a phone.
  const phone = await browser.newContext({
    locale: 'zh-CN',
    viewport: { width: 390, height: 844 },
    storageState: state,
  });
  await forgetProvider(phone);
  const { page: small, complaints: onPhone } = await visit(phone);
  await small.goto(`${stack.baseUrl}/`);
  await small.waitForURL('**/overview');
  await connectProvider(small, FIRST.zh);
  expect(await barriers(small)).toEqual([]);
  expect(await small.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  expect(onPhone.filter((text) => !text.includes('403'))).toEqual([]);
  await phone.close();

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
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();

  expect(complaints).toEqual([]);
  await context.close();

  const other = await browser.newContext({ locale: 'en-GB' });
  const { page: stepped } = await visit(other);
  provider.says({ ...ada, amr: ['pwd', 'mfa'] });
  await stepped.goto(`${stack.baseUrl}/sign-in?next=/usage`);
  await stepped.getByRole('button', { name: 'Sign in with Acme SSO' }).click();
  await stepped.waitForURL('**/usage');
  await stepped.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  await other.close();
});
