import { createRoute } from '@tanstack/react-router';
import { systemQuery } from '../../api/system.ts';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';

export const systemRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/system',
  staticData: { words: 'system' },
  beforeLoad: mustBe('owner', 'admin'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(systemQuery),
}).lazy(() => import('./System.tsx').then(({ page }) => page));
