import { createRoute } from '@tanstack/react-router';
import { accountNamesQuery } from '../../api/account-names.ts';
import { catalogueQuery } from '../../api/catalogue.ts';
import { operatorsWith } from '../../app/operators-with.ts';
import { shellRoute } from '../../app/root.tsx';

export const discountsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/discounts',
  staticData: { words: 'discounts' },
  beforeLoad: operatorsWith('catalogue'),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(accountNamesQuery);
  },
}).lazy(() => import('./Discounts.tsx').then(({ page }) => page));
