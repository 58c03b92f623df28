// `npm run speed -- [parts of names]`: how long the console takes from a key or a click until what it asks for is on the screen, with lists as long
// as those of a large deployment. Nothing is asserted: a busy machine is slow, which the time of the same loop shows beside each.
import { CHROMIUM_ARGUMENTS, findChromium } from '@tollgate/harness';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type OwnStack, withOwnStack } from './own-stack.ts';
import { seedLongLists } from './speed-data.ts';

const ROUNDS = 5;
/** What is awaited for longer never comes. */
const MAX_WAIT_MS = 10_000;

const asked = process.argv.slice(2);

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Interaction {
  readonly name: string;
  /** It is done again from here each time. */
  readonly path: string;
  readonly act: (page: Page, round: number) => Promise<unknown>;
  /** A script that tells whether what was asked for is on the page; it is cheap, for it is asked before each picture. */
  readonly isThere: (round: number) => string;
}

const firstRowHas = (text: string) =>
  `document.querySelector('tbody tr')?.textContent.includes(${JSON.stringify(text)}) ?? false`;
const sortBy = (page: Page, header: string) =>
  page.getByRole('button', { name: header, exact: true }).click();

const INTERACTIONS: readonly Interaction[] = [
  {
    name: 'keys: find one of 100,000',
    path: '/keys',
    act: (page, round) => page.getByRole('searchbox', { name: 'Find' }).fill(`number ${90_000 + round}`),
    isThere: (round) => firstRowHas(`Key number ${90_000 + round}`),
  },
  {
    name: 'keys: order by what was spent',
    path: '/keys',
    act: (page) => sortBy(page, 'Spent'),
    // Which has spent the most follows from how they are seeded.
    isThere: () => firstRowHas('$1.00'),
  },
  // All have the same owner and group, so that another one comes first than the newest, whichever.
  ...['Last used', 'Expires', 'Owner', 'Group'].map((header) => ({
    name: `keys: order by ${header.toLowerCase()}`,
    path: '/keys',
    act: (page: Page) => sortBy(page, header),
    isThere: () => `(${firstRowHas('Key number ')}) && !(${firstRowHas('Key number 1sk-')})`,
  })),
  {
    name: 'keys: the next page',
    path: '/keys',
    act: (page) => page.getByRole('button', { name: 'Next page' }).click(),
    isThere: () => firstRowHas('Key number 20'),
  },
  {
    name: 'keys: open a menu',
    path: '/keys',
    act: (page) =>
      page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click(),
    isThere: () => `document.querySelector('[role=menu]') !== null`,
  },
  {
    name: 'models: find one of 1,000',
    path: '/models',
    act: (page, round) => page.getByRole('textbox', { name: 'Find' }).fill(`model-99${round}`),
    isThere: (round) => firstRowHas(`model-99${round}`),
  },
  {
    name: 'models: order by price',
    path: '/models',
    act: (page) => sortBy(page, 'Input'),
    isThere: () => firstRowHas('model-999'),
  },
  {
    name: 'models: 50 more rows',
    path: '/models',
    act: (page) => page.getByRole('button', { name: /^Show more/ }).click(),
    isThere: () => `document.querySelectorAll('tbody tr').length > 50`,
  },
  {
    name: 'catalogue: order by price',
    path: '/catalogue',
    act: (page) => sortBy(page, 'Input'),
    isThere: () => firstRowHas('model-999'),
  },
  {
    name: 'catalogue: find one of 1,000',
    path: '/catalogue',
    act: (page, round) => page.getByPlaceholder('Find by name or description').fill(`model-99${round}`),
    isThere: (round) => firstRowHas(`model-99${round}`),
  },
  {
    name: 'search: a key among keys and models',
    path: '/home',
    act: async (page, round) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search, or run a command').fill(`number ${90_000 + round}`);
    },
    isThere: (round) =>
      `document.querySelector('[role=dialog]')?.textContent.includes('Key number ${90_000 + round}') ?? false`,
  },
];

const isAsked = ({ name }: Interaction): boolean =>
  asked.length === 0 || asked.some((part) => name.includes(part));

/**
 * Notes when the last key or click came, when what it asks for was there before a picture, when that picture was done, and
 * the longest time from an event to its next picture.
 */
const watching = (isThere: string) => `window.measured = { acted: 0, there: 0, paint: 0 };
  measured.end = new Promise((done) => { measured.done = done; });
  setTimeout(measured.done, ${MAX_WAIT_MS});
  for (const kind of ['pointerdown', 'input', 'keydown'])
    addEventListener(kind, ({ timeStamp }) => { if (!measured.there) measured.acted = timeStamp; }, true);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) measured.paint = Math.max(measured.paint, duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  const look = () => {
    if (!measured.acted || !(${isThere})) return requestAnimationFrame(look);
    // What a channel brings comes after the picture.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      measured.there = performance.now();
      setTimeout(measured.done, 100);
    };
    port2.postMessage(null);
  };
  requestAnimationFrame(look);`;

/** Work that is always the same, in ms: where it takes longer, the machine is slower. */
const SAME_WORK = `(() => {
  const start = performance.now();
  let sum = 0;
  for (let number = 0; number < 10_000_000; number += 1) sum = (sum * 31 + number) | 0;
  return performance.now() - start + sum * 0;
})()`;

interface Measured {
  readonly sameWork: number;
  readonly acted: number;
  readonly there: number;
  readonly paint: number;
}

async function measureOnce(
  page: Page,
  { name, act, isThere }: Interaction,
  round: number,
): Promise<Measured> {
  // The first touch loads what no page waits for.
  await page.mouse.move(300 + round, 300);
  await page.waitForTimeout(500);
  const sameWork = await page.evaluate<number>(SAME_WORK);
  await page.evaluate(watching(isThere(round)));
  await act(page, round);
  const measured = await page.evaluate<Omit<Measured, 'sameWork'>>(
    'measured.end.then(() => ({ acted: measured.acted, there: measured.there, paint: measured.paint }))',
  );
  if (measured.there === 0) throw new Error(`${name} was not there after ${MAX_WAIT_MS} ms`);
  return { sameWork, ...measured };
}

async function measure(browser: Browser, { baseUrl, admin }: OwnStack): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${baseUrl}/sign-in`);
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/overview');
  say(
    '| interaction | until it is there, ms: median, most | event to picture, ms: median, most | the same loop, ms: median, most |',
  );
  say('| --- | ---: | ---: | ---: |');
  for (const interaction of INTERACTIONS.filter(isAsked)) {
    const all: Measured[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.goto(`${baseUrl}${interaction.path}`, { waitUntil: 'networkidle' });
      all.push(await measureOnce(page, interaction, round));
    }
    const total = summarise(all.map(({ acted, there }) => there - acted));
    const [paint, loop] = [all.map((each) => each.paint), all.map(({ sameWork }) => sameWork)].map(summarise);
    say(`| ${interaction.name} | ${total} | ${paint} | ${loop} |`);
  }
  await context.close();
}

function summarise(times: readonly number[]): string {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)] ?? 0}, ${sorted.at(-1) ?? 0}`;
}

await withOwnStack(async (stack) => {
  await seedLongLists(stack);
  const browser = await chromium.launch({ executablePath: findChromium(say), args: [...CHROMIUM_ARGUMENTS] });
  try {
    await measure(browser, stack);
  } finally {
    await browser.close();
  }
});
