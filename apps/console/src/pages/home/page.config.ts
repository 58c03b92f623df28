import { IconHome } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/home',
  permission: 'usage:read',
  words: 'home',
  section: 'build',
  icon: IconHome,
} as const satisfies Page;
