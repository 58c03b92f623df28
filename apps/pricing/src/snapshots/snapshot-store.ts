import {
  canonicalJson,
  type Catalogue,
  catalogueSchema,
  EMPTY_CATALOGUE,
  hashCanonicalJson,
  type PriceSnapshot,
  type UnverifiedSnapshot,
} from '@tollgate/catalogue';
import { CURRENT_SNAPSHOT_REDIS_KEY, EVENT, publishedSnapshotRedisKey } from '@tollgate/contracts';
import { type Logger, publishEvent } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { type DataSource, type EntityManager, LessThanOrEqual } from 'typeorm';
import type { CatalogueChange } from '../catalogue/change.ts';
import { computeOutcome } from '../catalogue/outcome.ts';
import { SnapshotEntity } from '../database/snapshot.entity.ts';
import { findAnnounced, findLostVersions, identifyDatabase, MARGIN, toRow } from './lost-versions.ts';
import { type Publication, type PublishedBy, PublishError } from './publication.ts';
import type { PublicationTraces } from './publication-traces.ts';

const PUBLISH_LOCK = 7_301_002;
/** A database that lost versions is put back within days. */
const PUBLISHED_TTL_S = 3 * 24 * 3_600;

type Append = (changes: readonly CatalogueChange[], by: PublishedBy) => Promise<Publication>;

/** A version without its catalogue. */
export type VersionEntry = Omit<SnapshotEntity, 'catalogue'>;

/** Snapshots in Postgres: numbered without gaps, but for what a restore lost; never changed, and no number given twice. */
export class SnapshotStore {
  readonly #byVersion = new LRUCache<number, PriceSnapshot>({ max: 50 });
  /** The state of the database in which no number can be given twice any more. */
  #compared: string | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly redis: Redis,
    private readonly logger: Logger,
    private readonly traces?: PublicationTraces,
  ) {}

  async current(): Promise<PriceSnapshot | null> {
    const newest = await findNewest(this.database.manager);
    return newest ? this.byVersion(newest.version) : null;
  }

  async byVersion(version: number): Promise<PriceSnapshot | null> {
    const held = this.#byVersion.get(version);
    if (held) return held;
    const row = await this.database.getRepository(SnapshotEntity).findOneBy({ version });
    return row && this.#hold(toSnapshot(row));
  }

  /** A version by its number, and by its hash where that is told: the number alone may have been given twice. */
  async named(version: number, hash: string | undefined): Promise<PriceSnapshot | null> {
    const numbered = await this.byVersion(version);
    return hash === undefined || numbered?.hash === hash ? numbered : this.byHash(hash);
  }

  /** The first version with this hash, so that the answer stays the same when its catalogue is published again. */
  async byHash(hash: string): Promise<PriceSnapshot | null> {
    const row = await this.database
      .getRepository(SnapshotEntity)
      .findOne({ where: { hash }, order: { version: 'ASC' } });
    return row && this.#hold(toSnapshot(row));
  }

  async list(before: number | undefined, limit: number): Promise<VersionEntry[]> {
    const query = this.database
      .getRepository(SnapshotEntity)
      .createQueryBuilder('s')
      .select(['s.version', 's.hash', 's.publishedAt', 's.actor', 's.reason'])
      .orderBy('s.version', 'DESC')
      .take(limit);
    return before === undefined ? query.getMany() : query.where('s.version < :before', { before }).getMany();
  }

  /** The version that was the newest at a time; null before the first. */
  async inForceAt(time: Date): Promise<VersionEntry | null> {
    return this.database.getRepository(SnapshotEntity).findOne({
      select: { version: true, hash: true, publishedAt: true, actor: true, reason: true },
      where: { publishedAt: LessThanOrEqual(time) },
      order: { version: 'DESC' },
    });
  }

  /**
   * Makes the next version and tells everybody. Publishers take turns, so that each makes its changes on top of those
   * before.
   *
   * @throws PublishError 'conflict' when `expected` is not the newest version, 'invalid' with every fault.
   */
  async publish(changes: readonly CatalogueChange[], by: PublishedBy): Promise<Publication> {
    const publication = await this.inTurn((_manager, append) => append(changes, by));
    if (publication.changed) await this.announce(publication.snapshot);
    return publication;
  }

  /**
   * Runs `work` in one transaction during which nobody else publishes; `append` makes the next version in it, and
   * throws what {@link publish} throws before it has written anything. The caller announces after the commit.
   */
  async inTurn<T>(work: (manager: EntityManager, append: Append) => Promise<T>): Promise<T> {
    const trace = this.traces?.begin();
    let compared: string | undefined;
    try {
      const done = await this.database.transaction(async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [PUBLISH_LOCK]);
        return work(manager, (changes, by) => {
          const appended = async () => {
            compared = await this.#goAboveLostVersions(manager);
            return this.#append(manager, changes, by);
          };
          return trace ? trace.append(by, appended) : appended();
        });
      });
      this.#compared = compared ?? this.#compared;
      trace?.end();
      return done;
    } catch (error) {
      trace?.end(error);
      throw error;
    }
  }

  /** Brings Redis up to date, after a publication that it was away for. Never throws. */
  async announceCurrent(): Promise<void> {
    try {
      await this.#lookForLostVersions();
      const current = await this.current();
      if (current) await this.announce(current);
    } catch (error) {
      this.logger.warn(
        { event: 'snapshot_read_failed', reason: (error as Error).message },
        'the newest snapshot could not be read',
      );
    }
  }

  /** Tells every gateway. Redis may be away: gateways also ask by themselves. */
  async announce(snapshot: PriceSnapshot): Promise<void> {
    this.#hold(snapshot);
    try {
      const text = JSON.stringify(toPublished(snapshot));
      await this.redis.set(CURRENT_SNAPSHOT_REDIS_KEY, text);
      await this.redis.set(publishedSnapshotRedisKey(snapshot.version), text, 'EX', PUBLISHED_TTL_S);
      await publishEvent(this.redis, EVENT.snapshotPublished, {
        version: snapshot.version,
        hash: snapshot.hash,
        traceparent: this.traces?.of(snapshot.version),
      });
    } catch (error) {
      this.logger.warn(
        { event: 'snapshot_unannounced', version: snapshot.version, reason: (error as Error).message },
        'a snapshot could not be announced',
      );
    }
  }

  /** Nobody waits for the turn to publish where nothing is lost. */
  async #lookForLostVersions(): Promise<void> {
    const { manager } = this.database;
    const identity = await identifyDatabase(manager);
    this.#compared = (await this.#findLost(manager, identity))
      ? await this.inTurn((held) => this.#goAboveLostVersions(held))
      : identity;
  }

  /**
   * After a restore of the database: usage names versions that it lost, and their numbers must not be given again. What
   * Redis has of them is written down, so that usage is priced by it; what the database says is published again above
   * them, so that it is what holds. Where Redis was lost as well, or is away, nobody knows their numbers: it goes so far
   * up that it is above them all the same.
   *
   * @returns the state of the database in which, once this is committed, no number can be given twice.
   */
  async #goAboveLostVersions(manager: EntityManager): Promise<string> {
    const identity = await identifyDatabase(manager);
    const lost = await this.#findLost(manager, identity);
    if (!lost) return identity;
    const { upTo, found } = lost;
    const row = await manager.findOneByOrFail(SnapshotEntity, { version: lost.newest.version });
    const actor = 'restore';
    for (const snapshot of found)
      await manager.insert(
        SnapshotEntity,
        toRow(snapshot, actor, 'the database had lost it; Redis had a copy'),
      );
    const reason = `version ${row.version} again: the database may have been put back, and this is above what it can have lost`;
    const again = { ...row, version: upTo + MARGIN, publishedAt: new Date(), actor, reason };
    await manager.insert(SnapshotEntity, again);
    this.logger.error(
      {
        event: 'database_put_back',
        version: again.version,
        lost_up_to: upTo,
        recovered: found.map(({ version }) => version),
      },
      'the database was put back to before published versions, or Redis knows none: its prices are published again',
    );
    return identity;
  }

  /** Undefined where no version can be lost: the database is as it was when it was compared, or Redis knows no newer one. */
  async #findLost(manager: EntityManager, identity: string) {
    const newest = await findNewest(manager);
    if (!newest) return undefined;
    const announced = await findAnnounced(this.redis).catch(() => null);
    if (!announced)
      return identity === this.#compared ? undefined : { newest, upTo: newest.version, found: [] };
    const lost = await findLostVersions(this.redis, announced, newest);
    return lost && { newest, ...lost };
  }

  #hold(snapshot: PriceSnapshot): PriceSnapshot {
    this.#byVersion.set(snapshot.version, snapshot);
    return snapshot;
  }

  async #append(
    manager: EntityManager,
    changes: readonly CatalogueChange[],
    by: PublishedBy,
  ): Promise<Publication> {
    const before = await this.#newest(manager);
    if (by.expected !== undefined && by.expected !== (before?.version ?? 0)) {
      throw new PublishError(
        'conflict',
        `Version ${before?.version ?? 0} is the newest, not ${by.expected}. Look at it and try again.`,
      );
    }
    const { catalogue, faults } = computeOutcome(before?.catalogue ?? EMPTY_CATALOGUE, changes);
    if (!catalogue || faults.length > 0) throw new PublishError('invalid', faults.join('; '));
    const text = canonicalJson(catalogue);
    const hash = hashCanonicalJson(text);
    if (before?.hash === hash) return { snapshot: before, changed: false };
    const version = (before?.version ?? 0) + 1;
    const publishedAt = new Date(Math.max(Date.now(), before ? Date.parse(before.published_at) : 0));
    const { actor, reason } = by;
    await manager.insert(SnapshotEntity, { version, hash, publishedAt, actor, reason, catalogue: text });
    return {
      snapshot: { version, hash, published_at: publishedAt.toISOString(), catalogue },
      changed: true,
    };
  }

  /** The newest version in a transaction; where it is held, its catalogue is not read again. */
  async #newest(manager: EntityManager): Promise<PriceSnapshot | null> {
    const newest = await findNewest(manager);
    if (!newest) return null;
    const held = this.#byVersion.get(newest.version);
    if (held?.hash === newest.hash) return held;
    return toSnapshot(await manager.findOneByOrFail(SnapshotEntity, { version: newest.version }));
  }
}

/** The newest version without its catalogue; undefined before the first. */
async function findNewest(
  manager: EntityManager,
): Promise<Pick<SnapshotEntity, 'version' | 'hash'> | undefined> {
  const [newest] = await manager.find(SnapshotEntity, {
    select: { version: true, hash: true },
    order: { version: 'DESC' },
    take: 1,
  });
  return newest;
}

/** Catalogues that were published before there was all that reading them adds. */
const PUBLISHED = new WeakMap<Catalogue, unknown>();

/** A stored version as this release reads it. */
export function toSnapshot(row: SnapshotEntity): PriceSnapshot {
  const published: unknown = JSON.parse(row.catalogue);
  const catalogue = catalogueSchema.parse(published);
  if (canonicalJson(catalogue) !== row.catalogue) PUBLISHED.set(catalogue, published);
  return {
    version: row.version,
    hash: row.hash,
    published_at: row.publishedAt.toISOString(),
    catalogue,
  };
}

/** A version in the form that services exchange: to the letter what was published, for its hash is over that. */
export const toPublished = (snapshot: PriceSnapshot): UnverifiedSnapshot => ({
  ...snapshot,
  catalogue: PUBLISHED.get(snapshot.catalogue) ?? snapshot.catalogue,
});
