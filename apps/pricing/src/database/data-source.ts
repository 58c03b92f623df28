import { DataSource } from 'typeorm';
import { DraftEntity } from './draft.entity.ts';
import { MIGRATIONS, type Migrations } from './migrations/index.ts';
import { SnapshotEntity } from './snapshot.entity.ts';

export const createDataSource = (url: string, migrations: Migrations = MIGRATIONS): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'pricing',
    entities: [SnapshotEntity, DraftEntity],
    migrations: [...migrations],
    migrationsTableName: 'migration',
    applicationName: 'tollgate-pricing',
    poolSize: 5,
  });
