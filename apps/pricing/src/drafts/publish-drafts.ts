import type { PriceSnapshot } from '@tollgate/catalogue';
import type { Logger } from '@tollgate/platform';
import type { EntityManager } from 'typeorm';
import { DraftEntity } from '../database/draft.entity.ts';
import { type Publication, PublishError } from '../snapshots/publication.ts';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { type Draft, toDraft, requireRevision, requireDraft } from './draft-store.ts';

/**
 * Publishes a draft on top of what is current, once: one that is published already is answered with its version.
 *
 * @throws PublishError 'invalid' with every fault; HttpException 404, or 409 when it was changed since
 *   `revision`.
 */
export async function publishDraft(
  snapshots: SnapshotStore,
  name: string,
  { actor, revision }: { readonly actor: string; readonly revision?: number | undefined },
): Promise<PriceSnapshot> {
  const done = await snapshots.inTurn(async (manager, append): Promise<Publication | number> => {
    const row = await requireDraft(manager, name);
    if (row.version !== null) return row.version;
    if (revision !== undefined) requireRevision(row, revision);
    const draft = toDraft(row);
    const publication = await append(draft.changes, { actor, reason: reasonOf(draft) });
    await becomePublished(manager, row, publication, actor);
    return publication;
  });
  if (typeof done === 'number') return requireSnapshot(await snapshots.byVersion(done), done);
  if (done.changed) await snapshots.announce(done.snapshot);
  return done.snapshot;
}

function requireSnapshot(snapshot: PriceSnapshot | null, version: number): PriceSnapshot {
  if (!snapshot) throw new Error(`there is no version ${version}`);
  return snapshot;
}

/**
 * Publishes the scheduled draft that has been due for longest; replicas take turns, so that each is published once.
 * One that cannot be published fails, with the reason.
 *
 * @returns false when none was due.
 */
export async function publishNextDue(snapshots: SnapshotStore, logger: Logger): Promise<boolean> {
  const done = await snapshots.inTurn(async (manager, append) => {
    const row = await manager
      .createQueryBuilder(DraftEntity, 'd')
      .where(`d.status = 'scheduled' AND d.effective_at <= clock_timestamp()`)
      .orderBy('d.effective_at')
      .addOrderBy('d.name')
      .limit(1)
      .setLock('pessimistic_write')
      .getOne();
    if (!row) return undefined;
    const draft = toDraft(row);
    try {
      const publication = await append(draft.changes, { actor: draft.actor, reason: reasonOf(draft) });
      await becomePublished(manager, row, publication, draft.actor);
      return { draft, publication };
    } catch (error) {
      if (!(error instanceof PublishError)) throw error;
      await manager.update(DraftEntity, { name: row.name }, { status: 'failed', failure: error.message });
      return { draft, failure: error.message };
    }
  });
  if (!done) return false;
  const { draft, publication, failure } = done;
  if (failure !== undefined) {
    logger.error(
      { event: 'draft_publish_failed', draft: draft.name, reason: failure },
      'a scheduled draft could not be published',
    );
  } else {
    if (publication.changed) await snapshots.announce(publication.snapshot);
    logger.info(
      { event: 'draft_published', draft: draft.name, version: publication.snapshot.version },
      'a scheduled draft is published',
    );
  }
  return true;
}

const reasonOf = ({ name, reason }: Draft): string => `draft ${name}: ${reason}`;

const becomePublished = (
  manager: EntityManager,
  { name }: DraftEntity,
  { snapshot }: Publication,
  actor: string,
): Promise<unknown> =>
  manager.update(
    DraftEntity,
    { name },
    { status: 'published', version: snapshot.version, actor, changedAt: new Date(), failure: null },
  );
