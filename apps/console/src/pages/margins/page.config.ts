import type { Page } from '../../app/page.ts';

export const page = {
  path: '/margins',
  permission: 'ledger:read-all',
  words: 'margins',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
