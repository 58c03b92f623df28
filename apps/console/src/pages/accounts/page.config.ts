import type { Page } from '../../app/page.ts';

export const page = {
  path: '/accounts',
  permission: 'accounts:read-all',
  words: 'accounts',
  sharedWords: ['finance'],
  section: 'run',
} as const satisfies Page;

export const innerPage = {
  path: '/accounts/$id',
  permission: 'accounts:read-all',
  words: 'accounts',
  sharedWords: ['finance', 'keys'],
} as const satisfies Page;
