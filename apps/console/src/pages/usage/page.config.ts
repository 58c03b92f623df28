import { IconActivity } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/usage',
  permission: 'usage:read',
  words: 'usage',
  sharedWords: ['finance'],
  section: 'build',
  icon: IconActivity,
} as const satisfies Page;
