import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@tollgate/harness';
import { type House, signIn } from './house.ts';
import { startTestStack, testAdmin } from './test-stack.ts';
import { running } from './running.ts';

/** One house with two gateways for all end-to-end tests that leave it whole. */
export default async function setup(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'));
  const stack = await startTestStack({ home, port: await freePort(), moreGateways: 1 });
  running.set({ home, stack });
  const house: House = {
    baseUrl: stack.baseUrl,
    gatewayUrls: stack.gatewayUrls,
    simulatorUrl: stack.simulatorUrl,
    databaseUrl: stack.databaseUrl,
    redisUrl: stack.redisUrl,
    apiKey: stack.apiKey,
    accountId: stack.accountId,
    home,
    cookie: await signIn(stack.baseUrl, testAdmin),
    ports: stack.ports,
    pids: Object.fromEntries([...stack.services].map(([name, service]) => [name, service.process.pid()])),
  };
  process.env['TOLLGATE_E2E'] = JSON.stringify(house);
}
