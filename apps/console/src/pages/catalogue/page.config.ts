import type { Page } from '../../app/page.ts';

export const page = {
  path: '/catalogue',
  permission: 'catalogue:write',
  words: 'catalogue',
  section: 'run',
} as const satisfies Page;
