import { createRoute, redirect } from '@tanstack/react-router';
import { noteArrival, sessionQuery } from '../../api/session.ts';
import { rootRoute } from '../../app/root.tsx';
import { readSignInSearch, type SignInSearch } from './search.ts';

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  staticData: { words: 'sign-in' },
  validateSearch: (search): SignInSearch => readSignInSearch(search),
  beforeLoad: async ({ context, search }) => {
    if (search.arrived) {
      noteArrival();
      await context.queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    }
    const session = await context.queryClient.fetchQuery(sessionQuery);
    if (session) throw redirect({ href: search.next ?? '/' });
  },
}).lazy(() => import('./SignIn.tsx').then(({ page }) => page));
