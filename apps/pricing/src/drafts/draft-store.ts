import type { DraftStatus } from '@tollgate/api';
import { canonicalJson } from '@tollgate/catalogue';
import { httpError } from '@tollgate/platform';
import { type DataSource, type EntityManager, MoreThan } from 'typeorm';
import type { CatalogueChange } from '../catalogue/change.ts';
import { DraftEntity } from '../database/draft.entity.ts';

export interface Draft extends Omit<DraftEntity, 'changes'> {
  readonly changes: readonly CatalogueChange[];
}

/** Drafts in Postgres. A published one stays as it was; a scheduled one must be taken off the schedule to be changed. */
export class DraftStore {
  constructor(private readonly database: DataSource) {}

  async find(name: string): Promise<Draft | null> {
    const row = await this.database.getRepository(DraftEntity).findOneBy({ name });
    return row && toDraft(row);
  }

  async list(
    filter: { readonly status?: DraftStatus | undefined; readonly after?: string | undefined },
    limit: number,
  ): Promise<Draft[]> {
    const rows = await this.database.getRepository(DraftEntity).find({
      where: {
        ...(filter.status === undefined ? {} : { status: filter.status }),
        ...(filter.after === undefined ? {} : { name: MoreThan(filter.after) }),
      },
      order: { name: 'ASC' },
      take: limit,
    });
    return rows.map(toDraft);
  }

  /** The drafts that are due before a time, in the order in which they will be published. */
  async scheduledBefore(time: Date, name: string): Promise<Draft[]> {
    const rows = await this.database
      .getRepository(DraftEntity)
      .createQueryBuilder('d')
      .where(`d.status = 'scheduled' AND (d.effective_at, d.name) < (:time, :name)`, { time, name })
      .orderBy('d.effective_at')
      .addOrderBy('d.name')
      .getMany();
    return rows.map(toDraft);
  }

  /**
   * Makes or replaces a draft; the same again changes nothing.
   *
   * @param changesOn makes the changes, given those that the draft had.
   * @throws HttpException 409 for one that is scheduled or published, 412 when `expected` is not its revision.
   */
  write(
    name: string,
    stated: {
      readonly reason: string;
      readonly changesOn: (earlier: readonly CatalogueChange[]) => readonly CatalogueChange[];
    },
    by: { readonly actor: string; readonly expected?: number | undefined },
  ): Promise<Draft> {
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`pricing draft ${name}`]);
      const row = await lockedRow(manager, name);
      if (by.expected !== undefined && by.expected !== (row?.revision ?? 0)) {
        const message = `Revision ${row?.revision ?? 0} is the newest, not ${by.expected}. Look at it and try again.`;
        throw httpError(412, message, 'if-match', 'draft_changed');
      }
      if (row) requireEditable(row);
      const changes = JSON.stringify(stated.changesOn(row ? changesIn(row) : []));
      const next = manager.create(DraftEntity, {
        name,
        reason: stated.reason,
        changes,
        revision: (row?.revision ?? 0) + 1,
        status: 'open',
        effectiveAt: null,
        actor: by.actor,
        changedAt: new Date(),
        version: null,
        failure: null,
      });
      if (row?.status === 'open' && row.reason === stated.reason && isSame(row.changes, changes))
        return toDraft(row);
      await manager.save(DraftEntity, next);
      return toDraft(next);
    });
  }

  /** @throws HttpException 404, or 409 for one that is scheduled or published. */
  remove(name: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      requireEditable(await requireDraft(manager, name));
      await manager.delete(DraftEntity, { name });
    });
  }

  /** Lets a draft wait for its day. @throws HttpException 404, or 409 for one that is scheduled or published. */
  schedule(name: string, revision: number, effectiveAt: Date, actor: string): Promise<Draft> {
    return this.database.transaction(async (manager) => {
      const row = await requireDraft(manager, name);
      if (row.status === 'scheduled' && row.effectiveAt?.getTime() === effectiveAt.getTime())
        return toDraft(row);
      requireEditable(row);
      requireRevision(row, revision);
      Object.assign(row, { status: 'scheduled', effectiveAt, actor, changedAt: new Date(), failure: null });
      return toDraft(await manager.save(row));
    });
  }

  /** Takes a draft off the schedule. @throws HttpException 404, or 409 for one that is published. */
  unschedule(name: string, actor: string): Promise<Draft> {
    return this.database.transaction(async (manager) => {
      const row = await requireDraft(manager, name);
      if (row.status === 'published') requireEditable(row);
      if (row.status !== 'scheduled') return toDraft(row);
      Object.assign(row, { status: 'open', effectiveAt: null, actor, changedAt: new Date() });
      return toDraft(await manager.save(row));
    });
  }
}

/** Whether two JSON texts say the same, in whatever order their members stand. */
const isSame = (a: string, b: string): boolean =>
  canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b));

const changesIn = (row: DraftEntity): CatalogueChange[] => JSON.parse(row.changes) as CatalogueChange[];

export const toDraft = (row: DraftEntity): Draft => ({ ...row, changes: changesIn(row) });

const lockedRow = (manager: EntityManager, name: string): Promise<DraftEntity | null> =>
  manager.findOne(DraftEntity, { where: { name }, lock: { mode: 'pessimistic_write' } });

/** @throws HttpException 404 */
export async function requireDraft(manager: EntityManager, name: string): Promise<DraftEntity> {
  const row = await lockedRow(manager, name);
  if (!row) throw noSuchDraft(name);
  return row;
}

/** @throws HttpException 409 for a draft that is not what somebody looked at. */
export function requireRevision(row: DraftEntity, revision: number): void {
  if (row.revision !== revision)
    throw httpError(
      409,
      'The draft was changed meanwhile. Look at it and try again.',
      'revision',
      'draft_changed',
    );
}

export const noSuchDraft = (name: string) =>
  httpError(404, `There is no draft "${name}".`, 'name', 'not_found');

function requireEditable({ name, status, version }: DraftEntity): void {
  if (status === 'published') {
    throw httpError(
      409,
      `The draft "${name}" is published as version ${version}. Write one of another name.`,
      null,
      'draft_published',
    );
  }
  if (status === 'scheduled') {
    const path = `DELETE /api/catalogue/drafts/${encodeURIComponent(name)}/schedule`;
    throw httpError(
      409,
      `The draft "${name}" is scheduled. Take it off the schedule first: ${path}.`,
      null,
      'draft_scheduled',
    );
  }
}
