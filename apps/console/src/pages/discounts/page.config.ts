import type { Page } from '../../app/page.ts';

export const page = {
  path: '/discounts',
  permission: 'catalogue:write',
  words: 'discounts',
  sharedWords: ['catalogue', 'finance'],
  section: 'money',
} as const satisfies Page;
