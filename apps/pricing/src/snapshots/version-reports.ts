import { type AuditReport, auditReportedSchema, differencesOf, MESSAGE } from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { EMPTY_CATALOGUE } from '../catalogue/change.ts';
import { SnapshotEntity } from '../database/snapshot.entity.ts';
import type { SnapshotStore } from './snapshot-store.ts';

const EVERY_MS = 1_000;
/** While billing does not answer. */
const RETRY_MS = 5_000;
const AT_ONCE = 20;
/** Of a version's differences; the catalogue's own list of them has all. */
const MOST_CHANGES = 200;

export interface VersionReports {
  /** Finishes the report in hand. */
  close(): Promise<void>;
}

/**
 * Reports every published version to billing's audit log, soon after it is committed and as often as it takes: billing
 * says up to which version it knows them, so nothing has to be remembered here.
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
  let reported: number | undefined;

  const send = async (entries: AuditReport['entries']): Promise<number> =>
    (await billing.request(MESSAGE.auditReport, { entries }, auditReportedSchema)).up_to;

  async function report(): Promise<void> {
    const newest = await database.getRepository(SnapshotEntity).maximum('version');
    reported ??= await send([]);
    while (!closed && reported < (newest ?? 0)) {
      const entries: AuditReport['entries'] = [];
      const last = Math.min(newest ?? 0, reported + AT_ONCE);
      for (let version = reported + 1; version <= last; version += 1) entries.push(await entryOf(version));
      const upTo = await send(entries);
      if (upTo <= reported) throw new Error(`billing knows versions up to ${upTo} only`);
      reported = upTo;
    }
  }

  async function entryOf(version: number): Promise<AuditReport['entries'][number]> {
    const row = await database.getRepository(SnapshotEntity).findOneByOrFail({ version });
    const [before, after] = [await snapshots.byVersion(version - 1), await snapshots.byVersion(version)];
    const differences = differencesOf(
      before?.catalogue ?? EMPTY_CATALOGUE,
      after?.catalogue ?? EMPTY_CATALOGUE,
    );
    return {
      version,
      actor: row.actor,
      reason: row.reason,
      at: row.publishedAt.toISOString(),
      changes: differences
        .slice(0, MOST_CHANGES)
        .map(({ section, name, change }) => ({ section, name, change })),
    };
  }

  let running = Promise.resolve();
  const next = () => {
    running = report()
      .then(
        () => EVERY_MS,
        (error: Error) => {
          logger.debug({ reason: error.message }, 'versions are reported to billing later');
          reported = undefined;
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
