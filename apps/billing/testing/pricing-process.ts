import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PriceSnapshot, priceSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import {
  findProgram,
  freePort,
  runToEnd,
  startProcess,
  startRedis,
  waitFor,
  TEST_ANSWER_MS,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';
import { createRequestReplyClient } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { BillingConfig } from '../src/config.ts';
import { migrateAndSeed, openRedis, type Prepare } from './test-environment.ts';

const SEAL_KEY = randomBytes(32).toString('base64');

/** What is published in Redis by a database that has been through `seedPrices`. */
let published: Readonly<Record<string, string>> = {};

/** What a database begins as that has the catalogue of a first start as version 1. */
export const seedPrices: Prepare = async (url, serviceUrl) => {
  const redis = await startRedis();
  await runToEnd(findProgram('pricing', 'seed'), {
    REDIS_URL: redis.url,
    SEAL_KEY,
    DATABASE_URL: url,
    SERVICE_DATABASE_URL: serviceUrl('pricing'),
    SIMULATOR_URL: 'http://127.0.0.1:9',
  });
  const client = await openRedis(redis.url);
  for (const key of await client.keys('*'))
    published = { ...published, [key]: (await client.get(key)) ?? '' };
  client.disconnect();
  await redis.stop();
};
seedPrices.after = migrateAndSeed;

/** The built pricing service as a process of its own, on a database that has prices. */
export interface PricingProcess {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPricingProcess(parts: {
  readonly serviceDatabaseUrl: string;
  readonly redisUrl: string;
  readonly redis: Redis;
  readonly tcpPort: number;
  readonly billingTcpPort: number;
}): Promise<PricingProcess> {
  // A database of which Redis knows nothing is one that was put back.
  await parts.redis.mset(published);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pricing-'));
  const process = startProcess({
    name: 'pricing',
    script: findProgram('pricing', 'main'),
    logFile: join(directory, 'pricing.log'),
    env: {
      REDIS_URL: parts.redisUrl,
      SEAL_KEY,
      DATABASE_URL: parts.serviceDatabaseUrl,
      SERVICE_SECRETS: TEST_SERVICE_SECRET,
      PORT: String(port),
      TCP_PORT: String(parts.tcpPort),
      BILLING_TCP_URL: `tcp://127.0.0.1:${parts.billingTcpPort}`,
    },
  });
  const ready = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor(ready, 'pricing', 20_000);
  return {
    url,
    async stop() {
      await process.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The prices of a version, asked of pricing as billing asks. */
export async function readPrices(
  { PRICING_TCP_URL }: Pick<BillingConfig, 'PRICING_TCP_URL'>,
  version = 1,
): Promise<PriceSnapshot> {
  const client = createRequestReplyClient(PRICING_TCP_URL, [TEST_SERVICE_SECRET], TEST_ANSWER_MS);
  try {
    return await client.request(MESSAGE.snapshotGet, { version }, priceSnapshotSchema);
  } finally {
    client.close();
  }
}
