import { connectRedis, createLogger, loadConfig, requireConnected, seal } from '@tollgate/platform';
import { runScript } from '@tollgate/platform/process';
import { pricingSeedSchema } from './config.ts';
import { createDataSource } from './database/data-source.ts';
import { migrate } from './database/migrate.ts';
import { addEnvironmentProviders } from './providers/environment-providers.ts';
import { seedCatalogue, simulatorUpstream } from './seed-catalogue.ts';
import { SnapshotStore } from './snapshots/snapshot-store.ts';

await runScript('pricing seed', async () => {
  const config = loadConfig(pricingSeedSchema);
  const logger = createLogger('pricing-seed', 'warn');
  // A schema of an earlier release is brought up to date.
  await migrate(config.DATABASE_URL, config.SERVICE_DATABASE_URL);
  const database = await createDataSource(config.DATABASE_URL).initialize();
  const redis = connectRedis(config.REDIS_URL, logger);
  await requireConnected(redis);

  const store = new SnapshotStore(database, redis, logger);
  const before = await store.current();
  const existing = before?.catalogue.upstreams.find(({ name }) => name === 'simulator');
  if (!before || (existing && existing.base_url !== config.SIMULATOR_URL)) {
    const upstream = simulatorUpstream(config.SIMULATOR_URL, seal('simulator-credential', config.SEAL_KEY));
    await store.publish(
      [
        before
          ? { op: 'put', section: 'upstreams', entry: upstream }
          : { op: 'replace', catalogue: seedCatalogue(upstream, config.SIMULATOR_SERVES) },
      ],
      { actor: 'seed', reason: before ? 'the simulator has another address' : 'first start' },
    );
  }
  const providers = await addEnvironmentProviders(store, process.env, config.SEAL_KEY);
  const current = await store.current();
  redis.disconnect();
  await database.destroy();
  return JSON.stringify({ version: current?.version, hash: current?.hash, providers });
});
