import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CATALOGUE, type Publication, type Published } from '../../api/catalogue.ts';
import { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import { notify } from '../../shared/notify.ts';

/**
 * Publishes a change at once and says so; what the relay refuses is in `error`. Where somebody else was first, the page shows
 * what they made.
 */
export function usePublishing<T>(publish: (input: T) => Promise<Publication>) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: publish,
    onError: (error) => {
      if (error instanceof ChangedMeanwhile) void queryClient.invalidateQueries({ queryKey: CATALOGUE });
    },
    onSuccess: async ({ version, changed }) => {
      notify({ message: t(changed ? 'published.done' : 'published.same', { version }) });
      await queryClient.invalidateQueries({ queryKey: CATALOGUE });
    },
  });
}

/**
 * The catalogue that a form was opened with. The page goes on to look at the newest one, of which its fields know nothing:
 * published on top of that, they would undo what somebody else has changed meanwhile.
 */
export const useSeen = (newest: Published) => useState(newest);
