import { IconKey } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/keys',
  permission: 'keys:read',
  words: 'keys',
  section: 'build',
  icon: IconKey,
} as const satisfies Page;
