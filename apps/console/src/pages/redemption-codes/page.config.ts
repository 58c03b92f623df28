import type { Page } from '../../app/page.ts';

export const page = {
  path: '/redemption-codes',
  permission: 'ledger:read-all',
  words: 'redemption-codes',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
