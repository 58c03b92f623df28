import { DataSource } from 'typeorm';
import { DraftEntity } from './draft.entity.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { SnapshotEntity } from './snapshot.entity.ts';

export const createDataSource = (url: string): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'pricing',
    entities: [SnapshotEntity, DraftEntity],
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    applicationName: 'tollgate-pricing',
    poolSize: 5,
  });
