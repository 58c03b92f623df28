import type { Browser, Page, Request } from 'playwright-core';

const PAGES_AT_MOST = 4;
const TEXT_AT_MOST = 4_000;
const ANSWERS_AT_MOST = 15;
const COMPLAINTS_AT_MOST = 10;
/** A page that hangs is described too. */
const LOOK_MS = 3_000;

/** What has come and gone on a page since it was opened. */
interface Traffic {
  readonly answers: string[];
  readonly pending: Set<Request>;
  readonly complaints: string[];
}

const nameRequest = (request: Request) => `${request.method()} ${request.url()}`;

/** Of files only those are listed that did not come. */
const isScriptOrStyle = (request: Request) => !['fetch', 'xhr', 'document'].includes(request.resourceType());

function watchPage(page: Page): Traffic {
  const traffic: Traffic = { answers: [], pending: new Set(), complaints: [] };
  page.on('request', (request) => traffic.pending.add(request));
  page.on('requestfinished', (request) => traffic.pending.delete(request));
  page.on('requestfailed', (request) => {
    traffic.pending.delete(request);
    traffic.answers.push(`${nameRequest(request)}: ${request.failure()?.errorText ?? 'failed'}`);
  });
  page.on('response', (response) => {
    const request = response.request();
    if (isScriptOrStyle(request) && response.status() < 400) return;
    traffic.answers.push(`${nameRequest(request)}: ${response.status()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') traffic.complaints.push(message.text());
  });
  page.on('pageerror', (error) => traffic.complaints.push(String(error)));
  return traffic;
}

const tellList = (what: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`${what}:`, ...lines.map((line) => `  ${line}`)];

/** A page as its locators see it: roles, names, and what fields hold. */
async function describePage(page: Page): Promise<string> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: LOOK_MS })
    .catch((error: unknown) => `nothing that could be read: ${String(error).slice(0, 200)}`);
  return shown.length > TEXT_AT_MOST ? `${shown.slice(0, TEXT_AT_MOST)} …` : shown;
}

async function tellPage(page: Page, { answers, pending, complaints }: Traffic): Promise<string> {
  return [
    `The page ${page.url()} showed:`,
    await describePage(page),
    ...tellList('Its console complained', complaints.slice(-COMPLAINTS_AT_MOST)),
    ...tellList('The last answers', answers.slice(-ANSWERS_AT_MOST)),
    ...tellList('Not answered', [...pending].slice(-ANSWERS_AT_MOST).map(nameRequest)),
  ].join('\n');
}

const watched = new Map<Page, Traffic>();

export const watch = (page: Page): void => void watched.set(page, watchPage(page));

const LISTENED = ['request', 'requestfinished', 'requestfailed', 'response', 'console', 'pageerror'];

/** Takes from a page whatever listens to it: a test that has ended is not told of the next one. */
export function unwatch(page: Page): void {
  watched.delete(page);
  for (const event of LISTENED) page.removeAllListeners(event);
}

/** Watches all pages that are opened from now on. What it answers tells what is on those that are open then. */
export function watchPages(browser: Browser): () => Promise<string> {
  browser.on('context', (context) =>
    context.on('page', (page) => {
      watch(page);
      page.on('crash', () => watched.get(page)?.complaints.push('the page has crashed'));
      page.on('close', () => watched.delete(page));
    }),
  );
  return async () => {
    const newest = [...watched].slice(-PAGES_AT_MOST);
    const notes = await Promise.all(newest.map(([page, traffic]) => tellPage(page, traffic)));
    return notes.join('\n\n');
  };
}
