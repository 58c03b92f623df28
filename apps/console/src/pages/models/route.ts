import { createRoute } from '@tanstack/react-router';
import { pricesQuery } from '../../api/pricing.ts';
import { describePublicPage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readModelsSearch } from './search.ts';

export const modelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePublicPage(page),
  validateSearch: readModelsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(pricesQuery),
}).lazy(() => import('./Models.tsx').then(({ page }) => page));
