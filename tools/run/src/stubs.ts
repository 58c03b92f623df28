import type { Page } from 'playwright-core';

/** Opens a path as it would look if these requests, by their patterns, were answered so. */
async function openAsIf(page: Page, path: string, answers: Readonly<Record<string, object>>): Promise<void> {
  for (const [pattern, json] of Object.entries(answers))
    await page.route(pattern, (route) => route.fulfill({ json }));
  await page.goto(new URL(path, page.url()).href, { waitUntil: 'networkidle' });
  await page.locator('h1, [role=dialog] h2').first().waitFor();
}

/** A deployment that has no owner yet. */
export const withoutOwner = (page: Page): Promise<void> =>
  openAsIf(page, '/setup', { '**/api/setup': { needed: true } });

/** Somebody who was invited and has not come yet. */
export const invited = (page: Page): Promise<void> =>
  openAsIf(page, '/invite#of-somebody', {
    '**/api/links/look': {
      kind: 'invite',
      email: 'tony@tollgate.example',
      account_name: 'First account',
      invited_by: 'ada@tollgate.example',
      role: 'member',
      expires_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
    },
  });

/** Somebody whose account has neither keys nor usage. */
export const newAt =
  (path: string) =>
  (page: Page): Promise<void> =>
    openAsIf(page, path, {
      '**/api/usage?*': { items: [], next: null },
      '**/api/keys?*': { items: [], total: 0 },
      '**/api/exports?*': { items: [], total: 0 },
    });
