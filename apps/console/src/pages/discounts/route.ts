import { createRoute } from '@tanstack/react-router';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';

export const discountsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/discounts',
  staticData: { words: 'discounts' },
  beforeLoad: operatorsWith('catalogue'),
  loader: async ({ context: { queryClient } }) => {
    const [{ catalogueQuery }, { accountNamesQuery }] = await Promise.all([
      import('../../api/catalogue.ts'),
      import('../../api/account-names.ts'),
    ]);
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(accountNamesQuery);
  },
}).lazy(() => import('./Discounts.tsx').then(({ page }) => page));
