import type { Page } from '../../app/page.ts';

export const page = {
  path: '/settings',
  permission: 'self:write',
  words: 'settings',
  section: 'build',
} as const satisfies Page;
