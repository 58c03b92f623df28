import type { Page } from '../../app/page.ts';

export const page = {
  path: '/reconciliation',
  permission: 'ledger:read-all',
  words: 'reconciliation',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
