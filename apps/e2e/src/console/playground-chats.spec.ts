// A person asks three models at once: how the answers look, and where they are later.
import { waitFor } from '@tollgate/harness';
import type { Locator } from 'playwright-core';
import { sharedStack } from '../shared-stack.ts';
import { barriers, openContext, signInAt, visit } from './browser.ts';

const at = sharedStack();

/** What came last is in view, figures that come after the answer among it. */
const waitForEnd = (log: Locator): Promise<unknown> =>
  waitFor(async () => {
    const [view, last] = [await log.boundingBox(), await log.getByTestId('charge').last().boundingBox()];
    return view && last && last.y + last.height <= view.y + view.height;
  }, 'the end of the answer in view');

test('three answers are formatted and followed to their end, are there after a reload, and can be shared without what was said', async () => {
  const context = await openContext();
  const { page, complaints } = await visit(context);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const beside = encodeURIComponent(JSON.stringify(['sim-claude@anthropic', 'sim-gemini@gemini']));
  await signInAt(page, at.baseUrl, `/playground?model=sim-chat&beside=${beside}`);
  await page.getByRole('textbox', { name: 'Top P' }).fill('0.9');
  const lines = Array.from({ length: 40 }, (_, index) => `${index + 1}. Step **${index + 1}**`);
  const asked = ['Look', '', '## Steps', '', ...lines, '', '| a | b |', '| - | -: |', '| 1 | 2 |', ''];
  const dangerous = '<img src=x onerror="window.broken=1"> [here](javascript:window.broken=1)';
  await page.getByRole('textbox', { name: 'Message' }).fill([...asked, dangerous].join('\n'));
  await page.keyboard.press('Enter');
  await page.getByTestId('charge').nth(2).waitFor();
  const logs = page.getByRole('log');
  expect(await logs.count()).toBe(3);
  const check = async () => {
    for (const log of await logs.all()) {
      const answer = log.locator('article > div').last();
      expect(await answer.locator('strong').count()).toBe(40);
      expect(await answer.getByRole('cell', { name: '2', exact: true }).count()).toBe(1);
      expect(await answer.locator('img, a').count()).toBe(0);
      expect(await answer.textContent()).toContain('<img src=x');
      await waitForEnd(log);
    }
    expect(await page.evaluate("'broken' in window")).toBe(false);
  };
  await check();
  expect(await barriers(page)).toEqual([]);
  await page.reload();
  await page.getByTestId('charge').nth(2).waitFor();
  await check();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByText('What would you like to ask?').first().waitFor();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: /^Look/ }).click();
  await page.getByTestId('charge').nth(2).waitFor();
  await page.goto(link);
  expect(await page.getByRole('textbox', { name: 'Top P' }).inputValue()).toBe('0.9');
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toContain('## Steps');
  expect(await page.getByRole('log').count()).toBe(3);
  expect(await page.getByRole('article').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
}, 60_000);
