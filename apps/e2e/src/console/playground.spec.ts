import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { formatUsd } from '@tollgate/money';
import type { BrowserContext, Page } from 'playwright-core';
import { expectedCost, openBooks } from '../books.ts';
import { sharedStack } from '../shared-stack.ts';
import { goInside, openContext, signInAt, type Visit, visit } from './browser.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
let context: BrowserContext;
let open: Visit;
afterAll(() => books.close());

async function enterConsole(): Promise<void> {
  context = await openContext();
  open = await visit(context);
  await signInAt(open.page, at.baseUrl);
  await open.page.waitForURL('**/overview');
}

const FORMATS = [
  ['sim-chat', 'openai', '/v1/chat/completions'],
  ['sim-responses', 'openai-response', '/v1/responses'],
  ['sim-claude', 'anthropic', '/v1/messages'],
  ['sim-gemini', 'gemini', '/v1beta/models/sim-gemini:streamGenerateContent'],
] as const;

/** Opens the playground and answers the request ids of what it asks. */
async function openPlayground(page: Page, query: string): Promise<string[]> {
  const ids: string[] = [];
  page.on('response', (response) => {
    if (!/\/v1(?:beta)?\//.test(new URL(response.url()).pathname)) return;
    ids.push(response.headers()['x-request-id'] ?? '');
  });
  await goInside(page, `/playground?${query}`);
  return ids;
}

const write = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};

/** Runs code as somebody would who pasted it into a file beside the SDKs. */
async function outputOf(language: 'curl' | 'TypeScript', code: string): Promise<string> {
  const env = { ...process.env, TOLLGATE_KEY: at.apiKey, NODE_OPTIONS: '' };
  if (language === 'curl') return (await run('sh', ['-c', code], { env })).stdout;
  const directory = await mkdtemp(join(at.home, 'pasted-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'code.mts'), code);
    return (await run(process.execPath, [join(directory, 'code.mts')], { env })).stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('in every format, one after the other:', () => {
  beforeAll(enterConsole);
  afterAll(() => context.close());

  test.each(FORMATS)(
    '%s is asked as %s: its answer streams in and shows its exact charge',
    async (model, format, path) => {
      const { page, complaints } = open;
      const ids = await openPlayground(page, `model=${model}&format=${format}`);
      const asked = page.waitForRequest((request) => new URL(request.url()).pathname === path);
      await write(page, 'Hello from the playground');
      const request = await asked;
      expect(request.postData()).toContain('Hello from the playground');
      await page.getByText('Echo: Hello from the playground').waitFor();
      const charge = page.getByTestId('charge');
      await charge.waitFor();
      const posted = await books.usage(ids[0] ?? '');
      expect(posted.stream).toBe(true);
      expect(await charge.textContent()).toBe(`$${formatUsd(await expectedCost(at, posted))}`);
      const figures = page.getByLabel('Figures of the answer');
      expect(await figures.textContent()).toMatch(
        /First token[\d,]+ msTotal[\d,]+ msTokens\d+ in, 5 outCharge\$/,
      );

      await write(page, 'And again');
      await page.getByText('Echo: And again').waitFor();
      await page.getByTestId('charge').nth(1).waitFor();
      const second = await books.usage(ids[1] ?? '');
      // What was said before is asked along.
      expect(Number(second['tokens_input'])).toBeGreaterThan(Number(posted['tokens_input']) + 2);
      expect(complaints).toEqual([]);
    },
  );

  test.each(FORMATS)(
    'a tool that %s calls as %s is shown, and its result goes back',
    async (model, format) => {
      const { page, complaints } = open;
      await openPlayground(page, `model=${model}&format=${format}`);
      await page.getByRole('button', { name: /^Call a tool/ }).click();
      await page.getByText('Calls get_weather').waitFor();
      expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('textbox', { name: 'Result of get_weather' }).fill('18 degrees');
      await page.getByRole('button', { name: 'Send result' }).click();
      await page.getByText(/^The tool says: .*18 degrees/).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test.each(FORMATS)('the code for %s as %s does the same when it is run', async (model, format) => {
    const { page, complaints } = open;
    await openPlayground(page, `model=${model}&format=${format}`);
    await page.getByRole('textbox', { name: 'System prompt' }).fill(`Don't "quote" me`);
    await page.getByRole('button', { name: 'Insert a sample' }).click();
    await write(page, `It's "fine" \\o/`);
    await page.getByText(`Echo: It's "fine" \\o/`).waitFor();
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'The same request as code' });
    for (const language of ['curl', 'TypeScript'] as const) {
      await drawer.getByRole('tab', { name: language }).click();
      const code = (await drawer.getByRole('tabpanel').locator('pre').textContent()) ?? '';
      const output = await outputOf(language, code);
      expect(output).toContain('Echo:');
      if (language === 'TypeScript') expect(output).toBe(`Echo: It's "fine" \\o/`);
    }
    await drawer.getByRole('tab', { name: 'Python' }).click();
    expect(await drawer.getByRole('tabpanel').textContent()).toContain('TOLLGATE_KEY');
    expect(complaints).toEqual([]);
  });
});

describe('for somebody who has just come:', () => {
  beforeEach(enterConsole);
  afterEach(() => context.close());

  test('its key is made with the first request, for an hour and a dollar, and is forgotten at the end', async () => {
    const { page } = open;
    const made: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/keys'))
        made.push(request.postData() ?? '');
    });
    await openPlayground(page, 'model=sim-chat&beside=sim-claude');
    await write(page, 'Hello both');
    await page.getByTestId('charge').nth(1).waitFor();
    await page.reload();
    await write(page, 'Hello again');
    await page.getByTestId('charge').nth(1).waitFor();
    expect(made).toHaveLength(1);
    const params = JSON.parse(made[0] ?? '') as { expires_at: string };
    expect(params).toMatchObject({ name: 'Playground', group: 'default', budgets: { total_usd: '1.00' } });
    expect(Math.abs(Date.parse(params.expires_at) - Date.now() - 3_600_000)).toBeLessThan(120_000);

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('row').filter({ hasText: 'Playground' }).first().getByText('of $1.00').waitFor();
    const kept = () => page.evaluate<string | null>("sessionStorage.getItem('tollgate.playground-key')");
    expect(await kept()).toContain('sk-');
    await page.getByRole('button', { name: /owner@e2e/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect(await kept()).toBeNull();
  });

  test('an answer can be stopped; what came until then stays, and all of it is charged', async () => {
    const { page, complaints } = open;
    const ids = await openPlayground(page, 'model=sim-chat');
    await write(page, 'Count [[sim {"words":120,"chunk_delay_ms":30}]]');
    await page.getByText(/word5 /).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    const said = (await page.getByText(/^word1 /).textContent()) ?? '';
    expect(said).not.toContain('word120');
    await page.getByTestId('charge').waitFor();
    expect(await books.usage(ids[0] ?? '')).toMatchObject({
      outcome: 'client_aborted',
      tokens_output: '120',
    });
    await write(page, 'Are you there?');
    await page.getByText('Echo: Are you there?').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a refusal is told where the answer would stand, and can be tried again', async () => {
    const { page } = open;
    await openPlayground(page, 'model=sim-chat');
    await write(page, 'Hi [[sim {"status":400}]]');
    const refusal = page.getByRole('alert');
    await refusal.getByText('No answer: status 400').waitFor();
    await refusal.getByRole('button', { name: 'Try again' }).click();
    await refusal.getByText('No answer: status 400').waitFor();
    expect(await page.getByRole('article').count()).toBe(1);

    await page.getByLabel('A key of your own').fill('sk-nobody');
    await write(page, 'Hello');
    await page.getByRole('alert').getByText('No answer: status 401').waitFor();
    await page.getByLabel('A key of your own').fill(at.apiKey);
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await page.getByText('Echo: Hello').waitFor();
  });

  test('a key of the playground that was taken back is replaced when one tries again', async () => {
    const { page } = open;
    await openPlayground(page, 'model=sim-chat');
    await write(page, 'Hello');
    await page.getByTestId('charge').waitFor();
    await page.evaluate(
      "sessionStorage.setItem('tollgate.playground-key', sessionStorage.getItem('tollgate.playground-key').replace(/sk-\\w+/, 'sk-gone'))",
    );
    await write(page, 'Hello once more');
    await page.getByRole('alert').getByText('No answer: status 401').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Echo: Hello once more').waitFor();
  });

  test('system prompt, temperature, limit and a picture reach the upstream; a wrong setting keeps from sending', async () => {
    const { page, complaints } = open;
    await openPlayground(page, 'model=sim-claude&format=anthropic');
    await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in verse.');
    await page.getByRole('textbox', { name: 'Temperature' }).fill('3');
    await page.getByText('From 0 to 2').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('What is this?');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Temperature' }).fill('0.5');
    await page.getByRole('textbox', { name: 'Max tokens' }).fill('321');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByTestId('pictures').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    const asked = page.waitForRequest('**/v1/messages');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect((await asked).postDataJSON()).toMatchObject({
      system: 'Answer in verse.',
      temperature: 0.5,
      max_tokens: 321,
      messages: [
        {
          content: [{ type: 'image', source: { media_type: 'image/png', data: png.toString('base64') } }, {}],
        },
      ],
    });
    await page.getByText('Echo: What is this?').waitFor();
    await page.getByRole('img', { name: 'dot.png' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a model is chosen by keyboard before anything else was loaded, and stands in the address', async () => {
    const { page, complaints } = open;
    await page.goto(`${at.baseUrl}/playground`);
    const model = page.getByRole('combobox', { name: 'Model' });
    await model.click();
    await page.getByRole('option', { name: 'sim-gemini' }).click();
    await page.waitForURL('**/playground?model=sim-gemini');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL('**/playground?model=sim-gemini&beside=*');
    expect(await page.getByRole('log').count()).toBe(2);
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await page.waitForURL('**/playground?model=sim-gemini');
    expect(complaints).toEqual([]);
  });
});
