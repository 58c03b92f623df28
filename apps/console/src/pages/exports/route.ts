import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { type ExportsSearch, toPage, readExportsSearch } from './search.ts';

export const exportsRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): ExportsSearch => readExportsSearch(search),
  loaderDeps: ({ search: { create: _create, ...search } }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const { exportsQuery, schedulesQuery } = await import('../../api/exports.ts');
    void queryClient.prefetchQuery(exportsQuery(toPage(deps)));
    void queryClient.prefetchQuery(schedulesQuery);
  },
}).lazy(() => import('./Exports.tsx').then(({ page }) => page));
