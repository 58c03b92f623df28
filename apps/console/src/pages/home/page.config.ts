import type { Page } from '../../app/page.ts';

export const page = {
  path: '/home',
  permission: 'usage:read',
  words: 'home',
  section: 'build',
} as const satisfies Page;
