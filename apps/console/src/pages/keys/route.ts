import { createRoute } from '@tanstack/react-router';
import { keysQuery } from '../../api/keys.ts';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { type KeysSearch, readKeysSearch, toQuery } from './search.ts';

export const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): KeysSearch => readKeysSearch(search),
  loaderDeps: ({ search }) => toQuery(search),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(keysQuery(deps)),
}).lazy(() => import('./Keys.tsx').then(({ page }) => page));
