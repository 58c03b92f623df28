import type { Page } from '../../app/page.ts';

export const page = {
  path: '/upstreams',
  permission: 'catalogue:write',
  words: 'upstreams',
  sharedWords: ['catalogue'],
  section: 'run',
} as const satisfies Page;
