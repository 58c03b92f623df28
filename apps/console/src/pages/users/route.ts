import { createRoute } from '@tanstack/react-router';
import { describePage } from '../../app/page.ts';
import { shellRoute } from '../../app/root.tsx';
import { page } from './page.config.ts';
import { readUsersSearch, type UsersSearch } from './search.ts';

export const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  ...describePage(page),
  validateSearch: (search): UsersSearch => readUsersSearch(search),
  loaderDeps: ({ search: { account } }) => ({ account }),
  loader: async ({ context: { queryClient, session }, deps: { account = session.account_id } }) => {
    const { invitesQuery, membersQuery } = await import('../../api/members.ts');
    void queryClient.prefetchQuery(membersQuery(account));
    void queryClient.prefetchQuery(invitesQuery(account));
  },
}).lazy(() => import('./Users.tsx').then(({ page }) => page));
