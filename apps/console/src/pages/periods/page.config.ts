import { IconBuildingBank } from '@tabler/icons-react';
import type { Page } from '../../app/page.ts';

export const page = {
  path: '/periods',
  permission: 'ledger:read-all',
  words: 'periods',
  sharedWords: ['finance'],
  section: 'money',
  icon: IconBuildingBank,
} as const satisfies Page;
