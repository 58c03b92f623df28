import type { Page } from '../../app/page.ts';

export const page = {
  path: '/overview',
  permission: 'requests:read-all',
  words: 'overview',
  section: 'run',
} as const satisfies Page;
