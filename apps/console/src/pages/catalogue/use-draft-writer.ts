import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Change, type Draft, draftQuery, draftsQuery, writeDraft } from '../../api/drafts.ts';

interface DraftEdit {
  readonly name: string;
  readonly edit: (changes: readonly Change[]) => readonly Change[];
  /** Takes the place of the one that the draft has. */
  readonly reason?: string;
}

/** Writes to a draft as it stands now; one that is not there yet is made. */
export function useDraftWriter() {
  const { t } = useTranslation('catalogue');
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, edit, reason }: DraftEdit): Promise<Draft> => {
      const drafts = await queryClient.fetchQuery({ ...draftsQuery, staleTime: 0 });
      const isThere = drafts.some((draft) => draft.name === name);
      const before = isThere ? await queryClient.fetchQuery({ ...draftQuery(name), staleTime: 0 }) : null;
      return writeDraft(name, before?.revision ?? 0, {
        reason: reason ?? before?.reason ?? t('draft.firstReason'),
        changes: edit(before?.changes ?? []),
      });
    },
    onSuccess: async (draft) => {
      queryClient.setQueryData(draftQuery(draft.name).queryKey, draft);
      await queryClient.invalidateQueries({ queryKey: draftsQuery.queryKey, exact: true });
    },
  });
}
