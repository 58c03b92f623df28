import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  freePort,
  runToEnd,
  startProcess,
  waitFor,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';

/** The built pricing service as a process of its own, with the catalogue of a first start as version 1. */
export interface PricingProcess {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPricingProcess(parts: {
  readonly databaseUrl: string;
  readonly serviceDatabaseUrl: string;
  readonly redisUrl: string;
  readonly tcpPort: number;
  readonly billingTcpPort: number;
}): Promise<PricingProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const shared = {
    REDIS_URL: parts.redisUrl,
    SEAL_KEY: randomBytes(32).toString('base64'),
  };
  await runToEnd(findProgram('pricing', 'seed'), {
    ...shared,
    DATABASE_URL: parts.databaseUrl,
    SERVICE_DATABASE_URL: parts.serviceDatabaseUrl,
    SIMULATOR_URL: 'http://127.0.0.1:9',
  });
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pricing-'));
  const process = startProcess({
    name: 'pricing',
    script: findProgram('pricing', 'main'),
    logFile: join(directory, 'pricing.log'),
    env: {
      ...shared,
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
