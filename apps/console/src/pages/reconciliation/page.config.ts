import { IconScale } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/reconciliation',
  permission: 'ledger:read-all',
  words: 'reconciliation',
  sharedWords: ['finance'],
  section: 'money',
  icon: IconScale,
} as const satisfies Page;
