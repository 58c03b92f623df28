import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '@tollgate/contracts';
import {
  findProgram,
  freePort,
  runToEnd,
  startProcess,
  waitFor,
  TEST_SERVICE_SECRET,
} from '@tollgate/harness';
import { createDataSource } from '../src/database/data-source.ts';
import { migrateAlone, type Prepare } from './pricing-service.ts';

const PASSWORD = 'a long enough password';

/** What a database begins as that has a person of each role in the first account. */
export const seedPeople: Prepare = async (url, serviceUrl) => {
  await runToEnd(findProgram('billing', 'seed'), {
    DATABASE_URL: url,
    SERVICE_DATABASE_URL: serviceUrl('billing'),
    SEED_ADMIN_EMAIL: 'owner@pricing.example',
    SEED_ADMIN_PASSWORD: PASSWORD,
  });
  const database = await createDataSource(url).initialize();
  await database.query(`
    INSERT INTO billing.app_user (id, account_id, email, password_hash, role)
    SELECT gen_random_uuid(), account_id, other || '@pricing.example', password_hash, other
    FROM billing.app_user, unnest(ARRAY['admin', 'finance', 'member']) AS other`);
  await database.destroy();
};
seedPeople.after = migrateAlone;

/** The built billing service as a process of its own, on a database that has people. */
export interface BillingProcess {
  readonly tcpUrl: string;
  /** The Cookie header of a session. */
  signIn(role: Session['role']): Promise<string>;
  stop(): Promise<void>;
}

export async function startBillingProcess(parts: {
  readonly serviceDatabaseUrl: string;
  readonly redisUrl: string;
  readonly pricingTcpPort: number;
}): Promise<BillingProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-billing-'));
  const [port, tcpPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const process = startProcess({
    name: 'billing',
    script: findProgram('billing', 'main'),
    logFile: join(directory, 'billing.log'),
    env: {
      DATABASE_URL: parts.serviceDatabaseUrl,
      REDIS_URL: parts.redisUrl,
      SERVICE_SECRETS: TEST_SERVICE_SECRET,
      PORT: String(port),
      TCP_PORT: String(tcpPort),
      PRICING_TCP_URL: `tcp://127.0.0.1:${parts.pricingTcpPort}`,
      SESSION_SECRET: randomBytes(32).toString('hex'),
    },
  });
  await waitFor(
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'billing',
    60_000,
  );
  return {
    tcpUrl: `tcp://127.0.0.1:${tcpPort}`,
    async signIn(role) {
      const answer = await fetch(`${url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${role}@pricing.example`, password: PASSWORD }),
      });
      if (!answer.ok) throw new Error(`sign-in failed with ${answer.status}: ${await answer.text()}`);
      return answer.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ');
    },
    async stop() {
      await process.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
