import type { EntryDifference } from '@tollgate/catalogue/entry-differences';
import { listVersions } from './generated/sdk/versions.gen.ts';
import { ApiError, read } from './result.ts';

/** A change that was not made: somebody else has changed the same since it was looked at. */
export class ChangedMeanwhile<Newest = unknown> extends ApiError {
  constructor(
    /** What they made of what was looked at. */
    readonly differences: readonly EntryDifference[],
    /** Who wrote since then; empty where nobody can say. */
    readonly by: readonly string[],
    readonly newest: Newest,
  ) {
    super(412, 'Somebody else changed the same meanwhile.', null, 'version_conflict');
  }
}

/** Who published since a version. What they did is told even where this is not known. */
export async function listPublishersSince(version: number): Promise<readonly string[]> {
  try {
    const { items } = await read(listVersions({ query: { limit: 50 } }));
    return [...new Set(items.flatMap((each) => (each.version > version ? [each.actor] : [])))];
  } catch {
    return [];
  }
}
