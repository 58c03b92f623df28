import { createRoute } from '@tanstack/react-router';
import { keysQuery } from '../../api/keys.ts';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { toPage, type KeysSearch, readKeysSearch } from './search.ts';

export const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): KeysSearch => readKeysSearch(search),
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(keysQuery(toPage(deps.page))),
}).lazy(() => import('./Keys.tsx').then(({ page }) => page));
