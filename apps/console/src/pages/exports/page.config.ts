import { IconDownload } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/exports',
  permission: 'export-schedules:write',
  words: 'exports',
  sharedWords: ['finance'],
  section: 'money',
  icon: IconDownload,
} as const satisfies Page;
