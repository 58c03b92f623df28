import { createRoute } from '@tanstack/react-router';
import { catalogueQuery } from '../../api/catalogue.ts';
import { draftsQuery } from '../../api/drafts.ts';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readCatalogueSearch } from './search.ts';

export const catalogueRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/catalogue',
  staticData: { words: 'catalogue' },
  validateSearch: readCatalogueSearch,
  beforeLoad: mustBe('owner', 'admin'),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(catalogueQuery);
    void queryClient.prefetchQuery(draftsQuery);
  },
}).lazy(() => import('./Catalogue.tsx').then(({ page }) => page));
