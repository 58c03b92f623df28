import { IconBooks } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/catalogue',
  permission: 'catalogue:write',
  words: 'catalogue',
  section: 'run',
  icon: IconBooks,
} as const satisfies Page;
