import { loadConfig, runService } from '@tollgate/platform';
import { pricingConfigSchema } from './config.ts';
import { startPricing } from './start.ts';

await runService('pricing', async () => {
  const config = loadConfig(pricingConfigSchema);
  return { service: await startPricing(config), graceS: config.SHUTDOWN_GRACE_S };
});
