import { loadConfig, runService } from '@tollgate/platform';
import { gatewayConfigSchema } from './config.ts';
import { startGateway } from './start.ts';

await runService('gateway', async () => {
  const config = loadConfig(gatewayConfigSchema);
  return { service: await startGateway(config), graceS: config.SHUTDOWN_GRACE_S, drainS: config.DRAIN_S };
});
