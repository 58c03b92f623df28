import { IconGauge } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/limits',
  permission: 'catalogue:write',
  words: 'limits',
  sharedWords: ['catalogue'],
  section: 'run',
  icon: IconGauge,
} as const satisfies Page;
