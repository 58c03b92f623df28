import type { Page } from '../../app/page.ts';

export const page = {
  path: '/audit-log',
  permission: 'audit-log:read',
  words: 'audit-log',
  section: 'run',
} as const satisfies Page;
