import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type Session, sessionQuery } from '../api/session.ts';

/** What is done once somebody is signed in: nothing of whoever was here before stays, and they go on. */
export function useEnter(next = '/'): (session: Session) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async (session) => {
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, session);
    await router.navigate({ href: next, replace: true });
  };
}
