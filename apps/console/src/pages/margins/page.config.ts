import { IconChartHistogram } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/margins',
  permission: 'ledger:read-all',
  words: 'margins',
  sharedWords: ['finance'],
  section: 'money',
  icon: IconChartHistogram,
} as const satisfies Page;
