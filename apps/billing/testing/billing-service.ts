import { randomBytes } from 'node:crypto';
import { freePort, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { loadConfig, type RunningService } from '@tollgate/platform';
import { type BillingConfig, billingConfigSchema } from '../src/config.ts';
import { startBilling } from '../src/start.ts';
import { type TestEnvironment, startTestEnvironment } from './test-environment.ts';
import { type PricingProcess, seedPrices, startPricingProcess } from './pricing-process.ts';

export interface RunningBilling extends RunningService {
  readonly config: BillingConfig;
}

/** The service in this process, on the given environment. Without `PRICING_TCP_URL` nobody answers for prices. */
export async function startBillingOn(
  { serviceDatabaseUrl, redisServer }: Pick<TestEnvironment, 'serviceDatabaseUrl' | 'redisServer'>,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningBilling> {
  const config = loadConfig(billingConfigSchema, {
    PORT: '0',
    TCP_PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    SERVICE_SECRETS: TEST_SERVICE_SECRET,
    DATABASE_URL: serviceDatabaseUrl('billing'),
    REDIS_URL: redisServer.url,
    SESSION_SECRET: randomBytes(32).toString('hex'),
    PRICING_TCP_URL: `tcp://127.0.0.1:${await freePort()}`,
    ...env,
  });
  return { ...(await startBilling(config)), config };
}

/** Billing in this process and pricing beside it; they ask each other. */
export interface Pair {
  readonly environment: TestEnvironment;
  readonly billing: RunningBilling;
  readonly pricing: PricingProcess;
  stop(): Promise<void>;
}

export async function startPair(
  envOf: (environment: TestEnvironment) => Promise<Readonly<Record<string, string>>> = () =>
    Promise.resolve({}),
): Promise<Pair> {
  const environment = await startTestEnvironment(seedPrices);
  const [tcpPort, billingTcpPort] = [await freePort(), await freePort()];
  const pricing = await startPricingProcess({
    serviceDatabaseUrl: environment.serviceDatabaseUrl('pricing'),
    redisUrl: environment.redisServer.url,
    redis: environment.redis,
    tcpPort,
    billingTcpPort,
  });
  const billing = await startBillingOn(environment, {
    TCP_PORT: String(billingTcpPort),
    PRICING_TCP_URL: `tcp://127.0.0.1:${tcpPort}`,
    ...(await envOf(environment)),
  });
  return {
    environment,
    billing,
    pricing,
    async stop() {
      await billing.stop();
      await pricing.stop();
      await environment.stop();
    },
  };
}
