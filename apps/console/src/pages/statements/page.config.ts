import { IconFileInvoice } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/statements',
  permission: 'ledger:read',
  words: 'statements',
  section: 'build',
  icon: IconFileInvoice,
} as const satisfies Page;
