import { createRoute } from '@tanstack/react-router';
import { mustBe } from '../../app/guards.ts';
import { shellRoute } from '../../app/root.tsx';
import { readUsersSearch, type UsersSearch } from './search.ts';

export const usersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/users',
  staticData: { words: 'users' },
  validateSearch: (search): UsersSearch => readUsersSearch(search),
  beforeLoad: mustBe('owner', 'admin'),
  loaderDeps: ({ search: { account } }) => ({ account }),
  loader: async ({ context: { queryClient, session }, deps: { account = session.account_id } }) => {
    const { invitesQuery, peopleQuery } = await import('../../api/people.ts');
    void queryClient.prefetchQuery(peopleQuery(account));
    void queryClient.prefetchQuery(invitesQuery(account));
  },
}).lazy(() => import('./Users.tsx').then(({ page }) => page));
