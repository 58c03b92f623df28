import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readCatalogueSearch } from './search.ts';

export const catalogueRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: readCatalogueSearch,
  loader: async ({ context: { queryClient } }) => {
    const [{ catalogueQuery }, { draftsQuery }] = await Promise.all([
      import('../../api/catalogue.ts'),
      import('../../api/drafts.ts'),
    ]);
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(draftsQuery);
  },
}).lazy(() => import('./Catalogue.tsx').then(({ page }) => page));
