import { createRoute } from '@tanstack/react-router';
import { accountQuery } from '../../api/account.ts';
import { summaryQuery } from '../../api/summary.ts';
import { recentUsageQuery } from '../../api/usage.ts';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { type HomeSearch, readHomeSearch, wishOf } from './search.ts';

export const RECENT = 8;

export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/home',
  staticData: { words: 'home' },
  validateSearch: (search): HomeSearch => readHomeSearch(search),
  beforeLoad: mustBeSignedIn,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient, session }, deps }) => {
    void queryClient.prefetchQuery(summaryQuery(wishOf(deps)));
    void queryClient.prefetchQuery(recentUsageQuery(RECENT));
    void queryClient.prefetchQuery(accountQuery(session.account_id));
  },
}).lazy(() => import('./Home.tsx').then(({ page }) => page));
