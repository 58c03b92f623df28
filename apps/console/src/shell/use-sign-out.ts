import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { sessionQuery, signOut } from '../api/session.ts';
import { browserStorage, tabStorage } from '../shared/browser-storage.ts';
import { notify } from '../shared/notify.ts';
import { useErrorText } from '../shared/States.tsx';

/** Ends the session and leaves nothing of it in memory. Where it could not be ended, whoever wanted to leave is told. */
export function useSignOut(): () => void {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const router = useRouter();
  const errorText = useErrorText();
  const leave = async () => {
    tabStorage.forget('playground-key');
    browserStorage.forget('playground-chats');
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, null);
    await router.navigate({ to: '/sign-in' });
  };
  return () =>
    void signOut().then(leave, (error: unknown) =>
      notify({ color: 'red', title: t('stillSignedIn'), message: errorText(error) }),
    );
}
