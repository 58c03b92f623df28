import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';

export const systemRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/system',
  staticData: { words: 'system' },
  beforeLoad: mustBe('owner', 'admin'),
  loader: async ({ context: { queryClient } }) => {
    const { systemQuery } = await import('../../api/system.ts');
    void queryClient.prefetchQuery(systemQuery);
  },
}).lazy(() => import('./System.tsx').then(({ page }) => page));
