import type { Page } from '../../app/page.ts';

export const page = {
  path: '/statements',
  permission: 'ledger:read',
  words: 'statements',
  section: 'build',
} as const satisfies Page;
