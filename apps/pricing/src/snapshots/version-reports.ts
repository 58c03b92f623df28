import { diffCatalogues, EMPTY_CATALOGUE } from '@tollgate/catalogue';
import { type AuditReport, auditReportedSchema, MESSAGE } from '@tollgate/contracts';
import { hasRows, type Logger, type RequestReplyClient } from '@tollgate/platform';
import { type DataSource, LessThan, MoreThan } from 'typeorm';
import { SnapshotEntity } from '../database/snapshot.entity.ts';
import type { SnapshotStore } from './snapshot-store.ts';

const EVERY_MS = 1_000;
/** While billing does not answer. */
const RETRY_MS = 5_000;
const ENTRIES_MAX = 20;
const ASKED_MAX = 1_000;
/** Of a version's differences; the catalogue's own list of them has all. */
const MAX_CHANGES = 200;

interface VersionReports {
  /** Finishes the report in hand. */
  close(): Promise<void>;
}

/**
 * Reports every published version to billing's audit log, soon after it is committed and as often as it takes: billing
 * says of each whether it lacks it, so nothing has to be remembered here.
 */
export function startVersionReports(parts: {
  readonly database: DataSource;
  readonly snapshots: SnapshotStore;
  readonly billing: RequestReplyClient;
  readonly logger: Logger;
}): VersionReports {
  const { database, snapshots, billing, logger } = parts;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Billing has all versions up to here. */
  let reported = 0;

  const ask = async (asked: number[], entries: AuditReport['entries'] = []): Promise<number[]> =>
    (await billing.request(MESSAGE.auditReport, { asked, entries }, auditReportedSchema)).missing;

  const isAnyNew = (): Promise<boolean> =>
    hasRows(database, 'SELECT FROM pricing.snapshot WHERE version > $1 LIMIT 1', [reported]);

  async function report(): Promise<void> {
    while (!closed && (await isAnyNew())) {
      const rows = await database.getRepository(SnapshotEntity).find({
        select: { version: true },
        where: { version: MoreThan(reported) },
        order: { version: 'ASC' },
        take: ASKED_MAX,
      });
      const last = rows.at(-1);
      if (!last) return;
      const missing = await ask(rows.map(({ version }) => version));
      while (missing.length > 0) {
        const now = missing.splice(0, ENTRIES_MAX);
        const entries = [];
        for (const version of now) entries.push(await entryOf(version));
        const lacking = await ask(now, entries);
        if (lacking.length > 0) throw new Error(`billing did not take version ${lacking[0]}`);
      }
      reported = last.version;
    }
  }

  async function entryOf(version: number): Promise<AuditReport['entries'][number]> {
    const versions = database.getRepository(SnapshotEntity);
    const row = await versions.findOneByOrFail({ version });
    const previous = await versions.maximum('version', { version: LessThan(version) });
    const before = previous === null ? null : await snapshots.byVersion(previous);
    const after = await snapshots.byVersion(version);
    const differences = diffCatalogues(
      before?.catalogue ?? EMPTY_CATALOGUE,
      after?.catalogue ?? EMPTY_CATALOGUE,
    );
    return {
      version,
      actor: row.actor,
      reason: row.reason,
      at: row.publishedAt.toISOString(),
      changes: differences
        .slice(0, MAX_CHANGES)
        .map(({ section, name, change }) => ({ section, name, change })),
    };
  }

  let running = Promise.resolve();
  const next = () => {
    running = report()
      .then(
        () => EVERY_MS,
        (error: Error) => {
          logger.debug(
            { event: 'version_report_failed', reason: error.message },
            'versions could not be reported to billing',
          );
          // Its database may be one of before: each version is asked for again.
          reported = 0;
          return RETRY_MS;
        },
      )
      .then((pauseMs) => {
        if (!closed) timer = setTimeout(next, pauseMs).unref();
      });
  };
  next();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      return running;
    },
  };
}
