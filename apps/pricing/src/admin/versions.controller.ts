import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { diffCatalogues, type PriceSnapshot } from '@tollgate/catalogue';
import { Allow, httpError } from '@tollgate/platform';
import type { z } from 'zod';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { AdminGuard } from './admin.guard.ts';
import { timeQuery, versionsQuery } from './schemas.ts';
import { shownDifferences, shownSnapshot, shownVersion } from './shown.ts';

/** What was published when, and what each version changed. */
@Controller('api/catalogue/versions')
@UseGuards(AdminGuard)
export class VersionsController {
  constructor(@Inject(SnapshotStore) private readonly snapshots: SnapshotStore) {}

  /** Every version without its catalogue, newest first. */
  @Get()
  @Allow('catalogue:write')
  async list(
    @Query({ schema: versionsQuery }) { before, limit }: z.infer<typeof versionsQuery>,
  ): Promise<object> {
    const rows = await this.snapshots.list(before, limit);
    return { items: rows.map(shownVersion), next: nextOf(rows.at(-1)) };
  }

  /** The version that was in force at a time. */
  @Get('at')
  @Allow('catalogue:write')
  async at(@Query({ schema: timeQuery }) { time }: z.infer<typeof timeQuery>): Promise<object> {
    const found = await this.snapshots.inForceAt(time === undefined ? new Date() : new Date(time));
    if (!found) throw httpError(404, 'Nothing was published by then.', 'time');
    return shownVersion(found);
  }

  @Get(':version')
  @Allow('catalogue:write')
  async one(@Param('version') version: string): Promise<object> {
    return shownSnapshot(await this.#find(version));
  }

  /** What the version `b` says otherwise than `a`. */
  @Get(':a/diff/:b')
  @Allow('catalogue:write')
  async diff(@Param('a') a: string, @Param('b') b: string): Promise<object> {
    const [from, to] = [await this.#find(a), await this.#find(b)];
    return {
      from: from.version,
      to: to.version,
      differences: shownDifferences(diffCatalogues(from.catalogue, to.catalogue)),
    };
  }

  async #find(version: string): Promise<PriceSnapshot> {
    const found = /^\d{1,9}$/.test(version) ? await this.snapshots.byVersion(Number(version)) : null;
    if (!found) throw httpError(404, `There is no version "${version}".`, 'version');
    return found;
  }
}

/** Versions have no gaps: below the first there is no page. */
const nextOf = (last: { version: number } | undefined): number | null =>
  last && last.version > 1 ? last.version : null;
