import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readRedemptionSearch, type RedemptionSearch } from './search.ts';

export const redemptionCodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/redemption-codes',
  staticData: { words: 'redemption-codes', sharedWords: ['finance'] },
  validateSearch: (search): RedemptionSearch => readRedemptionSearch(search),
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loader: async ({ context: { queryClient } }) => {
    const { batchesQuery } = await import('../../api/redemption.ts');
    void queryClient.prefetchInfiniteQuery(batchesQuery());
  },
}).lazy(() => import('./RedemptionCodes.tsx').then(({ page }) => page));
