import { IconHistory } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/audit-log',
  permission: 'audit-log:read',
  words: 'audit-log',
  section: 'run',
  icon: IconHistory,
} as const satisfies Page;
