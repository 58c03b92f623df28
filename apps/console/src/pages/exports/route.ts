import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { type ExportsSearch, pageOf, readExportsSearch } from './search.ts';

export const exportsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/exports',
  staticData: { words: 'exports', sharedWords: ['finance'] },
  validateSearch: (search): ExportsSearch => readExportsSearch(search),
  beforeLoad: mustBe('owner', 'admin', 'finance'),
  loaderDeps: ({ search: { create: _create, ...search } }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const { exportsQuery, schedulesQuery } = await import('../../api/exports.ts');
    void queryClient.prefetchQuery(exportsQuery(pageOf(deps)));
    void queryClient.prefetchQuery(schedulesQuery);
  },
}).lazy(() => import('./Exports.tsx').then(({ page }) => page));
