import type { DataSource } from 'typeorm';
import { SnapshotEntity } from '../database/snapshot.entity.ts';
import { toSnapshot } from '../snapshots/snapshot-store.ts';
import { PriceHistory } from './price-history.ts';

const AT_ONCE = 20;

/**
 * The history up to the newest version. Versions never change, so that each is read once in the life of the process;
 * those who ask at the same time wait for the same reading.
 */
export class PriceHistoryReader {
  readonly #history = new PriceHistory();
  #reading: Promise<PriceHistory> | null = null;

  constructor(private readonly database: Pick<DataSource, 'getRepository'>) {}

  upToDate(): Promise<PriceHistory> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<PriceHistory> {
    for (;;) {
      const rows = await this.database
        .getRepository(SnapshotEntity)
        .createQueryBuilder('s')
        .where('s.version > :version', { version: this.#history.version })
        .orderBy('s.version', 'ASC')
        .take(AT_ONCE)
        .getMany();
      for (const row of rows) {
        const { version, published_at, catalogue } = toSnapshot(row);
        this.#history.add({ version, publishedAt: published_at, catalogue });
      }
      if (rows.length < AT_ONCE) return this.#history;
    }
  }
}
