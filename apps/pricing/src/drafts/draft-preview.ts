import {
  type Catalogue,
  diffCatalogues,
  EMPTY_CATALOGUE,
  type EntryDifference,
  hashSnapshot,
  listServingWarnings,
  type ServingWarning,
} from '@tollgate/catalogue';
import type { DraftAnswer } from '@tollgate/contracts';
import { computeOutcome } from '../catalogue/outcome.ts';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';
import type { Draft, DraftStore } from './draft-store.ts';

/** What publishing a draft now would do. */
interface DraftPreview {
  /** The version that is current; 0 before the first. */
  readonly baseVersion: number;
  readonly faults: readonly string[];
  /** What nobody could call or what would get no requests, and is not so now. */
  readonly warnings: readonly ServingWarning[];
  readonly differences: readonly EntryDifference[];
  readonly catalogue: Catalogue | null;
}

/** Makes a draft's changes on what is current, without publishing them. */
export async function computePreview(draft: Draft, snapshots: SnapshotStore): Promise<DraftPreview> {
  const current = await snapshots.current();
  const base = current?.catalogue ?? EMPTY_CATALOGUE;
  const { catalogue, faults } = computeOutcome(base, draft.changes);
  return {
    baseVersion: current?.version ?? 0,
    faults,
    warnings: catalogue ? listNewWarnings(base, catalogue) : [],
    differences: catalogue ? diffCatalogues(base, catalogue) : [],
    catalogue,
  };
}

function listNewWarnings(base: Catalogue, catalogue: Catalogue): ServingWarning[] {
  const toText = ({ code, name }: ServingWarning) => `${code} ${name}`;
  const known = new Set(listServingWarnings(base).map(toText));
  return listServingWarnings(catalogue).filter((warning) => !known.has(toText(warning)));
}

/** What would be wrong with a draft at a time, when the drafts that are due before it are published as they stand. */
export async function faultsAt(
  draft: Draft,
  time: Date,
  drafts: DraftStore,
  snapshots: SnapshotStore,
): Promise<readonly string[]> {
  const earlier = await drafts.scheduledBefore(time, draft.name);
  let base = (await snapshots.current())?.catalogue ?? EMPTY_CATALOGUE;
  for (const { changes } of earlier) {
    const { catalogue, faults } = computeOutcome(base, changes);
    if (catalogue && faults.length === 0) base = catalogue;
  }
  return computeOutcome(base, draft.changes).faults;
}

/** A draft as a price snapshot of version 0, for dry runs; one that is published is what it was published as. */
export async function draftAnswer(draft: Draft, snapshots: SnapshotStore): Promise<DraftAnswer> {
  const published = draft.version === null ? null : await snapshots.byVersion(draft.version);
  if (published) return { snapshot: { ...published, version: 0 }, faults: [] };
  const { catalogue, faults } = await computePreview(draft, snapshots);
  if (!catalogue || faults.length > 0) return { snapshot: null, faults: [...faults] };
  return {
    snapshot: {
      version: 0,
      hash: hashSnapshot(catalogue),
      published_at: draft.changedAt.toISOString(),
      catalogue,
    },
    faults: [],
  };
}
