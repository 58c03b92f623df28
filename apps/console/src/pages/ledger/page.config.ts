import type { Page } from '../../app/page.ts';

export const page = {
  path: '/ledger',
  permission: 'ledger:read-all',
  words: 'ledger',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
