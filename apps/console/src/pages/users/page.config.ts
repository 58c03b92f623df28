import { IconUserPlus } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/users',
  permission: 'members:write',
  words: 'users',
  section: 'run',
  icon: IconUserPlus,
} as const satisfies Page;
