import { IconTag } from '@tabler/icons-react';
import type { PublicPage } from '../../app/page.ts';

export const page = {
  path: '/models',
  words: 'models',
  section: 'build',
  icon: IconTag,
} as const satisfies PublicPage;
