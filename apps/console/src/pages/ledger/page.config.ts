import { IconReceipt2 } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/ledger',
  permission: 'ledger:read-all',
  words: 'ledger',
  sharedWords: ['finance'],
  section: 'money',
  icon: IconReceipt2,
} as const satisfies Page;
