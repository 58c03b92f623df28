import { createRoute } from '@tanstack/react-router';
import { exportsQuery, schedulesQuery } from '../../api/exports.ts';
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
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchQuery(exportsQuery(pageOf(deps)));
    void context.queryClient.prefetchQuery(schedulesQuery);
  },
}).lazy(() => import('./Exports.tsx').then(({ page }) => page));
