import { diffEntries, type Entries, type EntryDifference } from '@tollgate/catalogue/entry-differences';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { catalogueQuery } from '../../api/catalogue.ts';
import { ChangedMeanwhile, listPublishersSince } from '../../api/changed-meanwhile.ts';
import { type Change, type Draft, draftQuery, draftsQuery, writeDraft } from '../../api/drafts.ts';
import { ApiError } from '../../api/result.ts';
import type { Seen } from './changes.ts';

interface DraftEdit {
  readonly name: string;
  readonly edit: (changes: readonly Change[]) => readonly Change[];
  /** Takes the place of the one that the draft has. */
  readonly reason?: string;
  /** What is changed, and as it was when somebody began: where it is something else by now, nothing is written. */
  readonly about?: {
    readonly seen: Seen;
    readonly section: EntryDifference['section'];
    readonly pick: (seen: Seen) => Entries;
  };
}

/** So often somebody else may write between what is read of a draft and what is written to it. */
const TRIES_MAX = 5;

/**
 * Writes to a draft as it stands now; one that is not there yet is made.
 *
 * @throws ChangedMeanwhile<Seen> where somebody else has changed the same entry
 */
export function useDraftWriter() {
  const { t } = useTranslation('catalogue');
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, edit, reason, about }: DraftEdit): Promise<Draft> => {
      for (let tries = 1; ; tries += 1) {
        const before = await readDraft(queryClient, name);
        if (about) await requireUnchanged(queryClient, before, about);
        try {
          return await writeDraft(name, before?.revision ?? 0, {
            reason: reason ?? before?.reason ?? t('draft.firstReason'),
            changes: edit(before?.changes ?? []),
          });
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 412) || tries === TRIES_MAX) throw error;
        }
      }
    },
    onSuccess: async (draft) => {
      queryClient.setQueryData(draftQuery(draft.name).queryKey, draft);
      await queryClient.invalidateQueries({ queryKey: draftsQuery.queryKey, exact: true });
    },
  });
}

async function readDraft(queryClient: QueryClient, name: string): Promise<Draft | undefined> {
  const drafts = await queryClient.fetchQuery({ ...draftsQuery, staleTime: 0 });
  const isThere = drafts.some((draft) => draft.name === name);
  return isThere ? queryClient.fetchQuery({ ...draftQuery(name), staleTime: 0 }) : undefined;
}

async function requireUnchanged(
  queryClient: QueryClient,
  draft: Draft | undefined,
  { seen, section, pick }: NonNullable<DraftEdit['about']>,
): Promise<void> {
  const live = await queryClient.fetchQuery({ ...catalogueQuery, staleTime: 0 });
  const now: Seen = { live, draft };
  const differences = diffEntries(section, pick(seen), pick(now));
  if (differences.length === 0) return;
  const publishers = live.version === seen.live.version ? [] : await listPublishersSince(seen.live.version);
  const writer = draft && draft.revision !== seen.draft?.revision ? [draft.actor] : [];
  throw new ChangedMeanwhile(differences, [...new Set([...writer, ...publishers])], now);
}
