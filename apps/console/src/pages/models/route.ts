import { createRoute } from '@tanstack/react-router';
import { pricesQuery } from '../../api/pricing.ts';
import { describePublicPage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { textOf } from '../../shared/search-params.ts';
import { page } from './page.config.ts';

export interface ModelsSearch {
  /** Words that a model's name, vendor or description holds. */
  readonly find?: string;
  readonly vendor?: string;
  /** The group whose prices are shown. */
  readonly group?: string;
  /** The model that is shown with all that is public of it. */
  readonly model?: string;
}

export const modelsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePublicPage(page),
  validateSearch: (search): ModelsSearch => textOf(search, ['find', 'vendor', 'group', 'model']),
  loader: ({ context }) => void context.queryClient.prefetchQuery(pricesQuery),
}).lazy(() => import('./Models.tsx').then(({ page }) => page));
