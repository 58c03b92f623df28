import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery, signOut } from '../api/session.ts';
import { browserStorage, tabStorage } from '../shared/browser-storage.ts';

/** Ends the session and leaves nothing of it in memory. */
export function useSignOut(): () => void {
  const queryClient = useQueryClient();
  const router = useRouter();
  return () => {
    tabStorage.forget('playground-key');
    browserStorage.forget('playground-chats');
    const leave = async () => {
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, null);
      await router.navigate({ to: '/sign-in' });
    };
    void signOut().then(leave, leave);
  };
}
