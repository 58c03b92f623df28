import type { Page } from '../../app/page.ts';

export const page = {
  path: '/usage',
  permission: 'usage:read',
  words: 'usage',
  sharedWords: ['finance', 'operations'],
  section: 'build',
} as const satisfies Page;
