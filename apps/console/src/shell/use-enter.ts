import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type Entered, isStep, sessionQuery } from '../api/session.ts';

/**
 * What is done once somebody is signed in: nothing of whoever was here before stays, and they go on. Who has to show a
 * second factor first goes there.
 */
export function useEnter(next = '/'): (entered: Entered) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async (entered) => {
    queryClient.clear();
    if (isStep(entered)) return router.navigate({ to: '/sign-in', search: { step: true, next } });
    await queryClient.fetchQuery(sessionQuery);
    await router.navigate({ href: next, replace: true });
  };
}
