import { IconMessageCircle } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/playground',
  permission: 'keys:write',
  words: 'playground',
  section: 'build',
  icon: IconMessageCircle,
} as const satisfies Page;
