import { DataSource } from 'typeorm';
import { CreateSnapshots1764000000000 } from './migrations.ts';
import { SnapshotEntity } from './snapshot.entity.ts';

export const createDataSource = (url: string): DataSource =>
  new DataSource({
    type: 'postgres',
    url,
    schema: 'pricing',
    entities: [SnapshotEntity],
    migrations: [CreateSnapshots1764000000000],
    migrationsTableName: 'migration',
    applicationName: 'tollgate-pricing',
    poolSize: 5,
  });
