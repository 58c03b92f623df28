import { createRoute } from '@tanstack/react-router';
import { keysQuery } from '../../api/keys.ts';
import { mustBeSignedIn } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { pageOf, type KeysSearch, readKeysSearch } from './search.ts';

export const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  staticData: { words: 'keys' },
  validateSearch: (search): KeysSearch => readKeysSearch(search),
  beforeLoad: mustBeSignedIn,
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(keysQuery(pageOf(deps.page))),
}).lazy(() => import('./Keys.tsx').then(({ page }) => page));
