import {
  canonicalJson,
  type Catalogue,
  catalogueSchema,
  CURRENT_SNAPSHOT_REDIS_KEY,
  EVENT,
  type PriceSnapshot,
  snapshotHash,
} from '@tollgate/contracts';
import { type Logger, publishEvent } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import { applyChange, type CatalogueChange, EMPTY_CATALOGUE } from '../catalogue/change.ts';
import { faultsOf } from '../catalogue/validate.ts';
import { SnapshotEntity } from '../database/snapshot.entity.ts';

const PUBLISH_LOCK = 7_301_002;

/** Why a change was not published. */
export class PublishError extends Error {
  constructor(
    readonly kind: 'invalid' | 'conflict',
    message: string,
  ) {
    super(message);
  }
}

export interface Publication {
  readonly snapshot: PriceSnapshot;
  /** False when the catalogue was so already: then no version was made. */
  readonly changed: boolean;
}

/** Snapshots in Postgres: numbered without gaps, never changed. */
export class SnapshotStore {
  readonly #byVersion = new LRUCache<number, PriceSnapshot>({ max: 50 });

  constructor(
    private readonly database: DataSource,
    private readonly redis: Redis,
    private readonly logger: Logger,
  ) {}

  async current(): Promise<PriceSnapshot | null> {
    const [row] = await this.database
      .getRepository(SnapshotEntity)
      .find({ select: { version: true }, order: { version: 'DESC' }, take: 1 });
    return row ? this.byVersion(row.version) : null;
  }

  async byVersion(version: number): Promise<PriceSnapshot | null> {
    const held = this.#byVersion.get(version);
    if (held) return held;
    const row = await this.database.getRepository(SnapshotEntity).findOneBy({ version });
    return row && this.#hold(row);
  }

  /** The first version with this hash, so that the answer stays the same when its catalogue is published again. */
  async byHash(hash: string): Promise<PriceSnapshot | null> {
    const row = await this.database
      .getRepository(SnapshotEntity)
      .findOne({ where: { hash }, order: { version: 'ASC' } });
    return row && this.#hold(row);
  }

  async list(before: number | undefined, limit: number): Promise<Omit<SnapshotEntity, 'catalogue'>[]> {
    const query = this.database
      .getRepository(SnapshotEntity)
      .createQueryBuilder('s')
      .select(['s.version', 's.hash', 's.publishedAt', 's.actor', 's.reason'])
      .orderBy('s.version', 'DESC')
      .take(limit);
    return before === undefined ? query.getMany() : query.where('s.version < :before', { before }).getMany();
  }

  /**
   * Makes the next version. Publishers take turns, so that each change is made on top of the one before.
   *
   * @throws PublishError 'conflict' when `expected` is not the newest version, 'invalid' with every fault.
   */
  async publish(
    makeChange: (catalogue: Catalogue) => CatalogueChange,
    by: { readonly actor: string; readonly reason: string; readonly expected?: number | undefined },
  ): Promise<Publication> {
    const publication = await this.database.transaction(async (manager): Promise<Publication> => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [PUBLISH_LOCK]);
      const [newest] = await manager.find(SnapshotEntity, { order: { version: 'DESC' }, take: 1 });
      const before = newest ? snapshotOf(newest) : null;
      if (by.expected !== undefined && by.expected !== (before?.version ?? 0)) {
        throw new PublishError(
          'conflict',
          `Version ${before?.version ?? 0} is the newest, not ${by.expected}. Look at it and try again.`,
        );
      }
      const base = before?.catalogue ?? EMPTY_CATALOGUE;
      const catalogue = mustBeSound(applyChange(base, makeChange(base)));
      const hash = snapshotHash(catalogue);
      if (before?.hash === hash) return { snapshot: before, changed: false };
      const row = manager.create(SnapshotEntity, {
        version: (before?.version ?? 0) + 1,
        hash,
        publishedAt: new Date(),
        actor: by.actor,
        reason: by.reason,
        catalogue: canonicalJson(catalogue),
      });
      await manager.insert(SnapshotEntity, row);
      return { snapshot: snapshotOf(row), changed: true };
    });
    if (publication.changed) await this.announce(publication.snapshot);
    return publication;
  }

  /** Brings Redis up to date, after a publication that it was away for. Never throws. */
  async announceCurrent(): Promise<void> {
    try {
      const current = await this.current();
      if (current) await this.announce(current);
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'the newest snapshot could not be read');
    }
  }

  /** Tells every gateway. Redis may be away: gateways also ask by themselves. */
  async announce(snapshot: PriceSnapshot): Promise<void> {
    try {
      await this.redis.set(CURRENT_SNAPSHOT_REDIS_KEY, JSON.stringify(snapshot));
      await publishEvent(this.redis, EVENT.snapshotPublished, {
        version: snapshot.version,
        hash: snapshot.hash,
      });
    } catch (error) {
      this.logger.warn(
        { version: snapshot.version, reason: (error as Error).message },
        'a snapshot could not be announced',
      );
    }
  }

  #hold(row: SnapshotEntity): PriceSnapshot {
    const snapshot = snapshotOf(row);
    this.#byVersion.set(snapshot.version, snapshot);
    return snapshot;
  }
}

/** @throws PublishError with everything that is wrong with a catalogue. */
function mustBeSound(wanted: Catalogue): Catalogue {
  const parsed = catalogueSchema.safeParse(wanted);
  const faults = parsed.success
    ? faultsOf(parsed.data)
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (!parsed.success || faults.length > 0) throw new PublishError('invalid', faults.join('; '));
  return parsed.data;
}

const snapshotOf = (row: SnapshotEntity): PriceSnapshot => ({
  version: row.version,
  hash: row.hash,
  published_at: row.publishedAt.toISOString(),
  catalogue: catalogueSchema.parse(JSON.parse(row.catalogue)),
});
