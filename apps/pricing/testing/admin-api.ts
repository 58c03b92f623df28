import { randomBytes } from 'node:crypto';
import { freePort } from '@tollgate/harness';
import { type BillingProcess, seedPeople, startBillingProcess } from './billing-process.ts';
import {
  type TestEnvironment,
  type RunningPricing,
  startTestEnvironment,
  startPricingOn,
} from './pricing-service.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { version?: number; error?: { message: string } };
}

/** Pricing in this process, billing beside it, and the session of an owner. */
export interface AdminApi {
  readonly environment: TestEnvironment;
  readonly pricing: RunningPricing;
  readonly billing: BillingProcess;
  /** The Cookie header of the owner. */
  readonly owner: string;
  /** Calls the catalogue's API, as the owner unless other headers are given. */
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  /** 0 before the first. */
  currentVersion(): Promise<number>;
  stop(): Promise<void>;
}

export async function startAdminApi(sealKey: string = randomBytes(32).toString('base64')): Promise<AdminApi> {
  const environment = await startTestEnvironment(seedPeople);
  const tcpPort = await freePort();
  const billing = await startBillingProcess({
    serviceDatabaseUrl: environment.serviceDatabaseUrl('billing'),
    redisUrl: environment.redisServer.url,
    pricingTcpPort: tcpPort,
  });
  const pricing = await startPricingOn(environment, {
    TCP_PORT: String(tcpPort),
    BILLING_TCP_URL: billing.tcpUrl,
    SEAL_KEY: sealKey,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const owner = await billing.signIn('owner');
  return {
    environment,
    pricing,
    billing,
    owner,
    async call(method, path, body, headers = { cookie: owner }) {
      const answer = await fetch(`${pricing.url}/api/catalogue${path}`, {
        method,
        headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
    },
    currentVersion: async () => (await environment.store.current())?.version ?? 0,
    async stop() {
      await pricing.stop();
      await billing.stop();
      await environment.stop();
    },
  };
}
