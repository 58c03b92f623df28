import type { Page } from '../../app/page.ts';

export const page = {
  path: '/keys',
  permission: 'keys:read',
  words: 'keys',
  section: 'build',
} as const satisfies Page;
