import type { Page } from '../../app/page.ts';

export const page = {
  path: '/limits',
  permission: 'catalogue:write',
  words: 'limits',
  sharedWords: ['catalogue', 'meter-kinds', 'operations'],
  section: 'run',
} as const satisfies Page;
