import type { Page } from '../../app/page.ts';

export const page = {
  path: '/playground',
  permission: 'keys:write',
  words: 'playground',
  section: 'build',
} as const satisfies Page;
