import type { PublicPage } from '../../app/page.ts';

export const page = {
  path: '/models',
  words: 'models',
  section: 'build',
} as const satisfies PublicPage;
