import type { Page } from '../../app/page.ts';

export const page = {
  path: '/limits',
  permission: 'catalogue:write',
  words: 'limits',
  sharedWords: ['catalogue'],
  section: 'run',
} as const satisfies Page;
