import { loadConfig, runService } from '@tollgate/platform';
import { billingConfigSchema } from './config.ts';
import { startBilling } from './start.ts';

await runService('billing', async () => {
  const config = loadConfig(billingConfigSchema);
  return { service: await startBilling(config), graceS: config.SHUTDOWN_GRACE_S };
});
