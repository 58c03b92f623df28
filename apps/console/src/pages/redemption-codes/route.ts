import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readRedemptionSearch, type RedemptionSearch } from './search.ts';

export const redemptionCodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): RedemptionSearch => readRedemptionSearch(search),
  loader: async ({ context: { queryClient } }) => {
    const { batchesQuery } = await import('../../api/redemption.ts');
    void queryClient.prefetchInfiniteQuery(batchesQuery());
  },
}).lazy(() => import('./RedemptionCodes.tsx').then(({ page }) => page));
