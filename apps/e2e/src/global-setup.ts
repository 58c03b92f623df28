import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, newStackSecrets } from '@tollgate/harness';
import { signIn, type TestStack } from './shared-stack.ts';
import { startTestStack, testAdmin } from './test-stack.ts';
import { running } from './running.ts';

/** Starts one stack with two gateways for all end-to-end tests that break no part of it. */
export default async function setup(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'));
  const stack = await startTestStack({
    home,
    port: await freePort(),
    moreGateways: 1,
    secrets: newStackSecrets(),
  });
  running.set({ home, stack });
  const shared: TestStack = {
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
  process.env['TOLLGATE_E2E'] = JSON.stringify(shared);
}
