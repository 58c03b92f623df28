/*
 * Tasks are tried out in the playground: on models of the shared stack with a simulated upstream of their own. What is shown of a
 * charge is held against the books.
 */
import { formatUsd } from '@tollgate/money';
import type { BrowserContext, Page } from 'playwright-core';
import { openBooks } from '../books.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { goInside, openContext, signInAt, type Visit, visit } from './browser.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const upstream = { protocols: ['openai-chat'] };
const FREE = { input: 0, output: 0 };
const MODELS = {
  vectors: {
    model: { operations: ['embed'], prices: { input: 20_000, output: 0 } },
    upstream,
    atVendor: { per_million: { input: '0.02' } },
  },
  'gpt-image-2': {
    model: {
      operations: ['draw'],
      prices: { input: 5_000_000, input_image: 8_000_000, output: 10_000_000, output_image: 30_000_000 },
    },
    upstream,
    atVendor: { per_million: { input: '5', image_input: '8', output: '10', image_output: '30' } },
  },
  painter: {
    model: { operations: ['draw'], prices: FREE, unit_prices: { images: 40_000_000_000 } },
    upstream,
    atVendor: { per_million: {}, per_thousand: { image: '40' } },
  },
  voice: {
    model: { operations: ['speak'], prices: FREE, unit_prices: { characters: 15_000_000 } },
    upstream,
    atVendor: { per_million: {}, per_thousand: { character: '0.015' } },
  },
  ears: {
    model: { operations: ['transcribe'], prices: FREE, unit_prices: { audio_milliseconds: 100_000 } },
    upstream,
    atVendor: { per_million: {}, per_thousand: { audio_millisecond: '0.0001' } },
  },
};

let simulator: OwnSimulator;
let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
let context: BrowserContext;
let open: Visit;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  made = await makeTaskModels(at, simulator.url, MODELS);
  context = await openContext();
  open = await visit(context);
  await signInAt(open.page, at.baseUrl);
  await open.page.waitForURL('**/overview');
}, 60_000);
afterAll(async () => {
  await context.close();
  await simulator.close();
  await books.close();
});

/** Opens the playground for a task, and answers the ids of what it asks. */
async function openTask(page: Page, task: string, model: string): Promise<string[]> {
  const ids: string[] = [];
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.startsWith('/v1/'))
      ids.push(response.headers()['x-request-id'] ?? '');
  });
  await goInside(page, `/playground?task=${task}&group=${made.group}&model=${model}`);
  return ids;
}

async function expectCharge(page: Page, ids: readonly string[], used: RegExp): Promise<void> {
  const charge = page.getByTestId('charge');
  await charge.waitFor();
  const { cost_pico } = await books.usage(ids[0] ?? '');
  expect(BigInt(cost_pico)).toBeGreaterThan(0n);
  expect(await charge.textContent()).toBe(`$${formatUsd(BigInt(cost_pico))}`);
  expect(await page.getByLabel('Figures of the answer').textContent()).toMatch(used);
  expect(open.complaints).toEqual([]);
}

test('two texts are embedded and compared', async () => {
  const { page } = open;
  const ids = await openTask(page, 'embed', made.names.vectors);
  const embed = page.getByRole('button', { name: 'Embed', exact: true });
  await embed.waitFor();
  expect(await embed.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The harbour lies in fog.');
  await page.getByRole('textbox', { name: 'A second text, to compare' }).fill('The harbour lies in fog.');
  await embed.click();
  expect(await page.getByTestId('similarity').textContent()).toBe('Similarity (cosine): 1.0000');
  expect(await page.getByRole('region', { name: 'Result' }).getByRole('listitem').count()).toBe(2);
  await expectCharge(page, ids, /^Total[\d,]+ ms.*Input\d+Charge\$/);
});

test('a picture is drawn and shown', async () => {
  const { page } = open;
  const ids = await openTask(page, 'draw', made.names['gpt-image-2']);
  await page.getByRole('textbox', { name: 'What to draw' }).fill('A lighthouse');
  await page.getByRole('button', { name: 'Draw', exact: true }).click();
  const picture = page.getByRole('img', { name: 'A lighthouse' });
  await picture.waitFor();
  expect(await picture.getAttribute('src')).toMatch(/^data:image\/(?:png|jpeg|webp);base64,/);
  await expectCharge(page, ids, /Image output[\d,]+Charge\$/);
});

test('a picture that its vendor keeps is shown by its address', async () => {
  const { page } = open;
  const ids = await openTask(page, 'draw', made.names.painter);
  await page.getByRole('textbox', { name: 'What to draw' }).fill('A lighthouse');
  await page.getByRole('button', { name: 'Draw', exact: true }).click();
  const address = page.getByRole('link', { name: 'Open the picture where its vendor keeps it' });
  await address.waitFor();
  expect(await address.getAttribute('href')).toMatch(/^https?:/);
  await expectCharge(page, ids, /Images1Charge\$/);
});

test('a text is said, and can be heard', async () => {
  const { page } = open;
  const ids = await openTask(page, 'speak', made.names.voice);
  await page.getByRole('textbox', { name: 'What to say' }).fill('Welcome aboard');
  await page.getByRole('button', { name: 'Say it' }).click();
  const sound = page.getByLabel('What was said');
  await sound.waitFor();
  expect(await sound.getAttribute('src')).toMatch(/^data:audio\/mpeg;base64,.{100}/);
  await expectCharge(page, ids, /Characters14Charge\$/);
});

test('a recording is written down', async () => {
  const { page } = open;
  const ids = await openTask(page, 'transcribe', made.names.ears);
  const chooser = page.waitForEvent('filechooser');
  await page.getByLabel('Recording').click();
  await (await chooser).setFiles({ name: 'a.mp3', mimeType: 'audio/mpeg', buffer: Buffer.alloc(50_000, 7) });
  await page.getByRole('button', { name: 'Transcribe' }).click();
  await page.getByText('word1 word2').waitFor();
  await expectCharge(page, ids, /Audio, ms[\d,]+Charge\$/);
});

test('why there is no result is said', async () => {
  const { page } = open;
  await openTask(page, 'draw', made.names.painter);
  await page.getByRole('textbox', { name: 'What to draw' }).fill('[[sim {"status":400}]]');
  await page.getByRole('button', { name: 'Draw', exact: true }).click();
  await page.getByText('No answer: status 400').waitFor();
});
