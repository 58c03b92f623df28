import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, versions } from '@tollgate/api';
import { diffCatalogues, type PriceSnapshot } from '@tollgate/catalogue';
import { Handles, httpError, Input } from '@tollgate/platform';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { shownDifferences, shownSnapshot, shownVersion } from './shown.ts';

/** What was published when, and what each version changed. */
@Controller()
export class VersionsController {
  constructor(@Inject(SnapshotStore) private readonly snapshots: SnapshotStore) {}

  @Handles(versions.listVersions)
  async list(@Input() { query }: RequestOf<typeof versions.listVersions>) {
    const rows = await this.snapshots.list(query.before, query.limit);
    return { items: rows.map(shownVersion), next: nextOf(rows.at(-1)) };
  }

  @Handles(versions.findVersion)
  async at(@Input() { query: { time } }: RequestOf<typeof versions.findVersion>) {
    const found = await this.snapshots.inForceAt(time === undefined ? new Date() : new Date(time));
    if (!found) throw httpError(404, 'Nothing was published by then.', 'time', 'nothing_published');
    return shownVersion(found);
  }

  @Handles(versions.showVersion)
  async one(@Input() { params }: RequestOf<typeof versions.showVersion>) {
    return shownSnapshot(await this.#require(params.version, 'version'));
  }

  @Handles(versions.compareVersions)
  async diff(@Input() { params: { a, b } }: RequestOf<typeof versions.compareVersions>) {
    const [from, to] = [await this.#require(a, 'a'), await this.#require(b, 'b')];
    return {
      from: from.version,
      to: to.version,
      differences: shownDifferences(diffCatalogues(from.catalogue, to.catalogue)),
    };
  }

  async #require(version: number, param: string): Promise<PriceSnapshot> {
    const found = await this.snapshots.byVersion(version);
    if (!found)
      throw httpError(404, `There is no version "${version}".`, param, 'no_such_version', { version });
    return found;
  }
}

/** Versions have no gaps: below the first there is no page. */
const nextOf = (last: { version: number } | undefined): number | null =>
  last && last.version > 1 ? last.version : null;
