import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort, runToEnd, startProcess, waitFor, TEST_SERVICE_SECRET } from '@tollgate/harness';
import pg from 'pg';

const PERSON = { email: 'owner@bench.example', password: randomBytes(16).toString('hex') };

const program = (name: string) =>
  join(import.meta.dirname, '..', '..', '..', 'apps', 'billing', 'dist', `${name}.js`);

export interface OwnBilling {
  readonly url: string;
  readonly pid: number;
  /** Of the owner of the first account. */
  readonly cookie: string;
  stop(): Promise<unknown>;
}

/** Empty books with a first account. */
export async function foundBooks(databaseUrl: string): Promise<void> {
  await runToEnd(program('seed'), {
    DATABASE_URL: databaseUrl,
    SEED_ADMIN_EMAIL: PERSON.email,
    SEED_ADMIN_PASSWORD: PERSON.password,
  });
}

/** Starts billing alone on books that {@link foundBooks} has made. @param env at least both data stores. */
export async function startOwnBilling(
  logs: string,
  env: Readonly<Record<string, string>>,
): Promise<OwnBilling> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const billing = startProcess({
    name: 'billing',
    script: program('main'),
    logFile: join(logs, 'billing.log'),
    env: {
      SERVICE_SECRETS: TEST_SERVICE_SECRET,
      PORT: String(port),
      TCP_PORT: String(await freePort()),
      PRICING_TCP_URL: `tcp://127.0.0.1:${await freePort()}`,
      SESSION_SECRET: randomBytes(32).toString('hex'),
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await waitFor(isReady, 'billing', 30_000);
    const entered = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(PERSON),
    });
    const cookies = entered.headers.getSetCookie().map((each) => each.split(';')[0]);
    return { url, pid: billing.pid(), cookie: cookies.join('; '), stop: () => billing.stop() };
  } catch (error) {
    await billing.stop();
    throw error;
  }
}

export async function connected<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
