import { openBrowser } from './browser.ts';
import { watchPages } from './what-was-seen.ts';

const PAGE = `<h1>Join</h1><input aria-label="Your name" /><button disabled>Join</button>
<script>console.error('it broke'); fetch('/refused'); fetch('/never');</script>`;

test('what failed tells what its page showed, complained of, was answered, and still waits for', async () => {
  const browser = await openBrowser();
  const tell = watchPages(browser);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/invite') await route.fulfill({ contentType: 'text/html', body: PAGE });
    if (pathname === '/refused') await route.fulfill({ status: 403 });
  });
  const refused = page.waitForResponse('**/refused');
  await page.goto('http://tollgate.example/invite');
  await page.getByRole('textbox').fill('Grace Hopper');
  await refused;
  const notes = await tell();
  expect(notes).toContain('The page http://tollgate.example/invite showed:');
  expect(notes).toContain('- textbox "Your name": Grace Hopper');
  expect(notes).toContain('- button "Join" [disabled]');
  expect(notes).toMatch(/Its console complained:\n {2}it broke/);
  expect(notes).toContain('GET http://tollgate.example/refused: 403');
  expect(notes).toMatch(/Not answered:\n {2}GET http:\/\/tollgate\.example\/never$/);
  await context.close();
  // A page that another test left behind, because it failed, is told still.
  expect(await tell()).not.toContain('tollgate.example');
});
