import type { Page } from '../../app/page.ts';

export const page = {
  path: '/users',
  permission: 'members:write',
  words: 'users',
  sharedWords: ['finance'],
  section: 'run',
} as const satisfies Page;
