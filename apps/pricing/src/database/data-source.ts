import type { Migrations } from '@tollgate/platform/process';
import { PG_KEEP_ALIVE } from '@tollgate/platform/sql';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { DraftEntity } from './draft.entity.ts';
import { SnapshotEntity } from './snapshot.entity.ts';

/** @param migrations what it may run: the service itself runs none. */
export const createDataSource = (url: string, migrations: Migrations | [] = []): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    // Else TypeORM looks for it, and nobody sees that it is needed.
    driver: pg,
    schema: 'pricing',
    entities: [SnapshotEntity, DraftEntity],
    migrations: [...migrations],
    migrationsTableName: 'migration',
    applicationName: 'tollgate-pricing',
    poolSize: 5,
    extra: PG_KEEP_ALIVE,
  });
