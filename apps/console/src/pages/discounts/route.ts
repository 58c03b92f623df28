import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';

export const discountsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  loader: async ({ context: { queryClient } }) => {
    const { catalogueQuery } = await import('../../api/catalogue.ts');
    void queryClient.prefetchQuery(catalogueQuery);
  },
}).lazy(() => import('./Discounts.tsx').then(({ page }) => page));
