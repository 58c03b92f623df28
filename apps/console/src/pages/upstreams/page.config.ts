import { IconPlugConnected } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/upstreams',
  permission: 'catalogue:write',
  words: 'upstreams',
  sharedWords: ['catalogue'],
  section: 'run',
  icon: IconPlugConnected,
} as const satisfies Page;
