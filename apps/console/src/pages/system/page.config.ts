import type { Page } from '../../app/page.ts';

export const page = {
  path: '/system',
  permission: 'system:read',
  words: 'system',
  section: 'run',
} as const satisfies Page;
