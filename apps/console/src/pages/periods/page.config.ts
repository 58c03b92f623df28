import type { Page } from '../../app/page.ts';

export const page = {
  path: '/periods',
  permission: 'ledger:read-all',
  words: 'periods',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
