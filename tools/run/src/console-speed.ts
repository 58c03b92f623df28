// `npm run speed`: how long the console takes from a key or a click until what it asks for is on the screen, with lists as long
// as those of a large deployment. Nothing is asserted: a busy machine is slow.
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import pg from 'pg';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type OwnStack, withOwnStack } from './own-stack.ts';

const KEYS = 100_000;
const MODELS = 1_000;
const ROUNDS = 5;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function seedKeys({ databaseUrl, accountId }: OwnStack): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO billing.api_key (id, account_id, owner_id, name, key_hash, masked, group_name, spent_pico, created_at)
     SELECT gen_random_uuid(), $1, (SELECT id FROM billing.app_user LIMIT 1), 'Key number ' || n,
       encode(sha256(n::text::bytea), 'hex'), 'sk-' || left(md5(n::text), 4) || '…' || right(md5(n::text), 4), 'default',
       (n * 7919 % 1000003)::numeric * 1000000, now() - n * interval '1 minute'
     FROM generate_series(1, $2) AS n`,
    [accountId, KEYS],
  );
  await client.query('ANALYZE billing.api_key');
  await client.end();
}

async function seedModels({ baseUrl, admin }: OwnStack): Promise<void> {
  const signedIn = await call(`${baseUrl}/api/auth/login`, 'POST', admin);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const vendor = { op: 'put', section: 'vendors', entry: { name: 'many-models' } };
  const models = Array.from({ length: MODELS }, (_none, number) => ({
    op: 'put',
    section: 'models',
    entry: {
      name: `model-${number}`,
      vendor: vendor.entry.name,
      prices: { input: 1_000_000 + number * 1_000, output: 4_000_000 + number * 1_000 },
    },
  }));
  const changes = [vendor, ...models];
  await call(`${baseUrl}/api/catalogue/drafts/many`, 'PUT', { reason: 'many models', changes }, cookie);
  await call(`${baseUrl}/api/catalogue/drafts/many/publish`, 'POST', {}, cookie);
}

async function call(url: string, method: string, body: object, cookie = ''): Promise<Response> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  if (!answer.ok)
    throw new Error(`${method} ${url} was answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}

interface Interaction {
  readonly name: string;
  readonly act: (page: Page, round: number) => Promise<unknown>;
  /** What is on the screen once it is done. */
  readonly until: (page: Page, round: number) => Promise<unknown>;
  /** It is done again from here each time. */
  readonly path: string;
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first().waitFor();
const sortBy = (page: Page, header: string) =>
  page.getByRole('columnheader', { name: header }).getByRole('button').click();

const INTERACTIONS: readonly Interaction[] = [
  {
    name: 'keys: find one of 100,000 (with the 250 ms that typing pauses)',
    path: '/keys',
    act: (page, round) => page.getByRole('searchbox', { name: 'Find' }).fill(`number ${90_000 + round}`),
    until: (page, round) => row(page, `Key number ${90_000 + round}`),
  },
  {
    name: 'keys: order by what was spent',
    path: '/keys',
    act: (page) => sortBy(page, 'Spent'),
    until: (page) => page.locator('th[aria-sort=descending]').waitFor(),
  },
  {
    name: 'keys: the next page',
    path: '/keys',
    act: (page) => page.getByRole('button', { name: 'Next page' }).click(),
    until: (page) => row(page, 'Key number 25'),
  },
  {
    name: 'keys: open a menu',
    path: '/keys',
    act: (page) =>
      page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click(),
    until: (page) => page.getByRole('menu').waitFor(),
  },
  {
    name: 'models: find one of 1,000',
    path: '/models',
    act: (page, round) => page.getByRole('textbox', { name: 'Find' }).fill(`model-99${round}`),
    until: (page, round) => row(page, `model-99${round}`),
  },
  {
    name: 'models: order by price',
    path: '/models',
    act: (page) => sortBy(page, 'Input'),
    until: (page) => page.locator('th[aria-sort=descending]').waitFor(),
  },
  {
    name: 'catalogue: find one of 1,000',
    path: '/catalogue',
    act: (page, round) => page.getByPlaceholder('Find by name or description').fill(`model-99${round}`),
    until: (page, round) => row(page, `model-99${round}`),
  },
  {
    name: 'search: the box with keys and models (with the 150 ms that typing pauses)',
    path: '/home',
    act: async (page, round) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search, or run a command').fill(`number 9000${round}`);
    },
    until: (page, round) => page.getByText(`Key number 9000${round}`).first().waitFor(),
  },
];

/** The longest time from an event to the next picture of the page, as the browser measures it. */
const LONGEST_EVENT = `window.longestEvent = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestEvent = Math.max(window.longestEvent, duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;

async function measure(browser: Browser, { baseUrl, admin }: OwnStack): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/overview');
  say('| interaction | until it is there, median ms | event to paint, median ms |\n| --- | ---: | ---: |');
  for (const { name, path, act, until } of INTERACTIONS) {
    const times: { readonly total: number; readonly paint: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.goto(`${baseUrl}${path}`, { waitUntil: 'networkidle' });
      await page.mouse.move(300 + round, 300);
      await page.waitForTimeout(500);
      await page.evaluate(LONGEST_EVENT);
      const start = performance.now();
      await act(page, round);
      await until(page, round);
      const total = performance.now() - start;
      await page.waitForTimeout(200);
      times.push({ total, paint: await page.evaluate<number>('window.longestEvent') });
    }
    const median = (of: keyof (typeof times)[number]) =>
      Math.round(times.map((each) => each[of]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
    say(`| ${name} | ${median('total')} | ${median('paint')} |`);
  }
  await context.close();
}

await withOwnStack(async (stack) => {
  await seedKeys(stack);
  await seedModels(stack);
  const browser = await chromium.launch({ executablePath: findChromium(say), args: [...CHROMIUM_ARGUMENTS] });
  try {
    await measure(browser, stack);
  } finally {
    await browser.close();
  }
});
