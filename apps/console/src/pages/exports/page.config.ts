import type { Page } from '../../app/page.ts';

export const page = {
  path: '/exports',
  permission: 'export-schedules:write',
  words: 'exports',
  sharedWords: ['finance'],
  section: 'money',
} as const satisfies Page;
