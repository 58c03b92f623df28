import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readCatalogueSearch } from './search.ts';

export const catalogueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/catalogue',
  staticData: { words: 'catalogue' },
  validateSearch: readCatalogueSearch,
  beforeLoad: mustBe('owner', 'admin'),
  loader: async ({ context: { queryClient } }) => {
    const [{ catalogueQuery }, { draftsQuery }] = await Promise.all([
      import('../../api/catalogue.ts'),
      import('../../api/drafts.ts'),
    ]);
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(draftsQuery);
  },
}).lazy(() => import('./Catalogue.tsx').then(({ page }) => page));
