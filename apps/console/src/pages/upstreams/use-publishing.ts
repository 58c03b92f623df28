import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CATALOGUE, type Publication } from '../../api/catalogue.ts';
import { notify } from '../../shared/notify.ts';

/** Publishes a change at once and says so; what the relay refuses is in `error`. */
export function usePublishing<T>(publish: (input: T) => Promise<Publication>) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: publish,
    onSuccess: async ({ version, changed }) => {
      notify({ message: t(changed ? 'published.done' : 'published.same', { version }) });
      await queryClient.invalidateQueries({ queryKey: CATALOGUE });
    },
  });
}
