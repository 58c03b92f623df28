import { queryOptions } from '@tanstack/react-query';
import { CATALOGUE } from './catalogue.ts';
import {
  listDrafts,
  publishDraft as callPublishDraft,
  removeDraft as callRemoveDraft,
  restoreVersion as callRestoreVersion,
  scheduleDraft as callScheduleDraft,
  showDraft,
  unscheduleDraft as callUnscheduleDraft,
  writeDraft as callWriteDraft,
} from './generated/sdk/drafts.gen.ts';
import type { DraftChange, DraftEntry, RestoreVersionData } from './generated/types.gen.ts';
import { read } from './result.ts';

export type { Draft, DraftEntry } from './generated/types.gen.ts';
/** One change of a draft, as it is shown and as it is written. */
export type Change = DraftChange;
export type Section = Extract<Change, { readonly op: 'delete' }>['section'];

const DRAFTS = [...CATALOGUE, 'drafts'] as const;

/** Drafts that are not published, by name. */
export const draftsQuery = queryOptions({
  queryKey: DRAFTS,
  queryFn: async ({ signal }): Promise<DraftEntry[]> => {
    const of = (status: 'open' | 'scheduled') => read(listDrafts({ query: { status, limit: 100 }, signal }));
    const [open, scheduled] = await Promise.all([of('open'), of('scheduled')]);
    return [...open.items, ...scheduled.items].sort((a, b) => a.name.localeCompare(b.name));
  },
});

/** Drafts whose names begin alike, whatever became of them: a name is taken for good. */
export const alikeDraftsQuery = (name: string) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'alike-drafts', name],
    queryFn: async ({ signal }) =>
      (await read(listDrafts({ query: { after: name.slice(0, -1), limit: 100 }, signal }))).items,
  });

export const draftQuery = (name: string) =>
  queryOptions({
    queryKey: [...DRAFTS, name],
    queryFn: ({ signal }) => read(showDraft({ path: { name }, signal })),
  });

/** Makes a draft or replaces the revision that was looked at, 0 for none. */
export const writeDraft = (
  name: string,
  revision: number,
  { reason, changes }: { readonly reason: string; readonly changes: readonly Change[] },
) =>
  read(
    callWriteDraft({
      path: { name },
      headers: { 'If-Match': String(revision) },
      body: { reason, changes: [...changes] },
    }),
  );

export const removeDraft = (name: string) => read(callRemoveDraft({ path: { name } }));

export const publishDraft = (name: string, revision: number) =>
  read(callPublishDraft({ path: { name }, body: { revision } }));

export const scheduleDraft = (name: string, revision: number, effectiveAt: string) =>
  read(callScheduleDraft({ path: { name }, body: { effective_at: effectiveAt, revision } }));

export const unscheduleDraft = (name: string) => read(callUnscheduleDraft({ path: { name } }));

/** Makes a draft that brings back what an earlier version said. */
export const restoreVersion = (name: string, body: RestoreVersionData['body']) =>
  read(callRestoreVersion({ path: { name }, body }));
