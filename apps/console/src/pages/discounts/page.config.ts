import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/discounts',
  permission: 'catalogue:write',
  words: 'discounts',
  sharedWords: ['catalogue'],
  section: 'money',
  icon: IconAdjustmentsHorizontal,
} as const satisfies Page;
