import { queryOptions } from '@tanstack/react-query';
import {
  CATALOGUE,
  type AccountDiscount,
  type CommonLimits,
  type EntryDifference,
  type Group,
  type Model,
  type Pool,
  type Upstream,
  type Vendor,
} from './catalogue.ts';
import {
  pricingDraftsControllerList,
  pricingDraftsControllerOne,
  pricingDraftsControllerPublish,
  pricingDraftsControllerRemove,
  pricingDraftsControllerRestore,
  pricingDraftsControllerSchedule,
  pricingDraftsControllerUnschedule,
  pricingDraftsControllerWrite,
} from './generated/sdk/pricing-drafts.gen.ts';
import type {
  PricingDraftsControllerRestoreData,
  PricingDraftsControllerWriteData,
} from './generated/types.gen.ts';
import { bodyOf } from './result.ts';

interface Entries {
  readonly vendors: Vendor;
  readonly models: Model;
  readonly groups: Group;
  readonly upstreams: Upstream;
  readonly pools: Pool;
}
export type Section = keyof Entries;

/** One change of a draft, as it is shown and as it is written. */
export type Change =
  | {
      [S in Section]: {
        readonly op: 'put';
        readonly section: S;
        readonly entry: Entries[S];
        readonly before?: string;
      };
    }[Section]
  | { readonly op: 'delete'; readonly section: Section; readonly name: string }
  | { readonly op: 'limits'; readonly limits: CommonLimits }
  | { readonly op: 'auto-groups'; readonly groups: readonly string[] }
  | {
      readonly op: 'discounts';
      readonly account_id: string;
      readonly discounts: readonly AccountDiscount[];
    };

export interface DraftEntry {
  readonly name: string;
  readonly reason: string;
  readonly revision: number;
  readonly status: 'open' | 'scheduled' | 'published';
  readonly effective_at: string | null;
  readonly actor: string;
  readonly changed_at: string;
  /** The one that it was published as. */
  readonly version: number | null;
  /** Why it could not be published on its day. */
  readonly failure: string | null;
}

/** A draft with what publishing it now would do. */
export interface Draft extends DraftEntry {
  readonly changes: readonly Change[];
  readonly base_version: number;
  readonly faults: readonly string[];
  readonly differences: readonly EntryDifference[];
}

const DRAFTS = [...CATALOGUE, 'drafts'] as const;

/** Drafts that are not published, by name. */
export const draftsQuery = queryOptions({
  queryKey: DRAFTS,
  queryFn: async ({ signal }) => {
    const of = (status: 'open' | 'scheduled') =>
      bodyOf<{ readonly items: readonly DraftEntry[] }>(
        pricingDraftsControllerList({ query: { status, limit: 100 }, signal }),
      );
    const [open, scheduled] = await Promise.all([of('open'), of('scheduled')]);
    return [...open.items, ...scheduled.items].sort((a, b) => a.name.localeCompare(b.name));
  },
});

export const draftQuery = (name: string) =>
  queryOptions({
    queryKey: [...DRAFTS, name],
    queryFn: ({ signal }) => bodyOf<Draft>(pricingDraftsControllerOne({ path: { name }, signal })),
  });

type WriteBody = PricingDraftsControllerWriteData['body'];

/** Makes a draft or replaces the revision that was looked at, 0 for none. */
export const writeDraft = (
  name: string,
  revision: number,
  { reason, changes }: { readonly reason: string; readonly changes: readonly Change[] },
): Promise<Draft> =>
  bodyOf(
    pricingDraftsControllerWrite({
      path: { name },
      headers: { 'if-match': String(revision) },
      body: { reason, changes: changes as unknown as WriteBody['changes'] },
    }),
  );

export const removeDraft = (name: string): Promise<void> =>
  bodyOf(pricingDraftsControllerRemove({ path: { name } }));

export const publishDraft = (name: string, revision: number): Promise<{ readonly version: number }> =>
  bodyOf(pricingDraftsControllerPublish({ path: { name }, body: { revision } }));

export const scheduleDraft = (name: string, effectiveAt: string): Promise<DraftEntry> =>
  bodyOf(pricingDraftsControllerSchedule({ path: { name }, body: { effective_at: effectiveAt } }));

export const unscheduleDraft = (name: string): Promise<DraftEntry> =>
  bodyOf(pricingDraftsControllerUnschedule({ path: { name } }));

/** Makes a draft that brings back what an earlier version said. */
export const restoreVersion = (
  name: string,
  body: PricingDraftsControllerRestoreData['body'],
): Promise<Draft> => bodyOf(pricingDraftsControllerRestore({ path: { name }, body }));
