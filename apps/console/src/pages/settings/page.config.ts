import { IconSettings } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/settings',
  permission: 'self:write',
  words: 'settings',
  section: 'build',
  icon: IconSettings,
} as const satisfies Page;
