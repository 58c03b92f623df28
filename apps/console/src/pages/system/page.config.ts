import { IconServer2 } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/system',
  permission: 'system:read',
  words: 'system',
  section: 'run',
  icon: IconServer2,
} as const satisfies Page;
