import { createTestDatabase } from '@tollgate/harness';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import {
  migrateAlone,
  PASSWORD,
  startTestEnvironment,
  type TestEnvironment,
} from '../../testing/test-environment.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { loadSeedConfig } from '../config.ts';
import { createDataSource } from '../database/data-source.ts';
import { offerSetup } from '../setup/setup-tokens.ts';

// Every way to a new password is tried with one that everybody guesses, and with the person's own address.
let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
let people: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment, { TRUSTED_PROXIES: '127.0.0.1' });
  owner = await signIn(billing.url, environment.first.email);
  people = `/api/accounts/${environment.first.accountId}`;
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const as = (cookie: string) => ({ url: billing.url, cookie });
const ADDRESS = 'grace@billing.example';
let count = 0;
const newAddress = () => `grace${(count += 1)}@billing.example`;
const expectRefused = ({ status, body }: { status: number; body: unknown }) => {
  const { error } = body as { error: { param: string; message: string } };
  expect([status, error.param]).toEqual([400, 'password']);
  expect(error.message).toMatch(/easily guessed/);
};

describe.each([
  ['that everybody guesses', () => 'password1234'],
  ["that is the product's name and a number", () => 'tollgate1234'],
  ["that is the person's own address", (email: string) => email],
])('a password %s is refused', (_which, passwordOf) => {
  test('of a person who is made', async () => {
    const email = newAddress();
    expectRefused(await call(as(owner), 'POST', `${people}/users`, { email, password: passwordOf(email) }));
  });

  test('that an admin sets', async () => {
    const email = newAddress();
    const { user_id, account_id } = await addPerson(environment, email, 'member');
    const path = `/api/accounts/${account_id}/users/${user_id}/password`;
    expectRefused(await call(as(owner), 'PUT', path, { password: passwordOf(email) }));
  });

  test('that one sets oneself', async () => {
    const email = newAddress();
    await addPerson(environment, email, 'member');
    const body = { current_password: PASSWORD, password: passwordOf(email) };
    expectRefused(await call(as(await signIn(billing.url, email)), 'PUT', '/api/auth/password', body));
  });

  test('of an invitation, which still works with a better one', async () => {
    const email = newAddress();
    const { body } = await call<{ token: string }>(as(owner), 'POST', `${people}/invites`, { email });
    const use = (password: string) => call(as(''), 'POST', '/api/links/use', { token: body.token, password });
    expectRefused(await use(passwordOf(email)));
    expect((await use(PASSWORD)).status).toBe(200);
  });

  test('of the first owner', async () => {
    const { url: databaseUrl, serviceUrl, drop } = await createTestDatabase(migrateAlone);
    const database = await createDataSource(databaseUrl).initialize();
    const other = await startBillingOn({
      serviceDatabaseUrl: serviceUrl,
      redisServer: environment.redisServer,
    });
    try {
      const tokens: unknown[] = [];
      await offerSetup(database, { warn: (fields: unknown) => void tokens.push(fields) }, undefined);
      const { setup_token: token } = tokens[0] as { setup_token: string };
      const body = {
        token,
        account_name: 'Acme',
        name: 'Grace',
        email: ADDRESS,
        password: passwordOf(ADDRESS),
      };
      expectRefused(await call({ url: other.url, cookie: '' }, 'POST', '/api/setup', body));
    } finally {
      await other.stop();
      await database.destroy();
      await drop();
    }
  });
});

test('the seed refuses a password that everybody guesses', async () => {
  const env = { DATABASE_URL: 'postgres://here/it', SEED_ADMIN_EMAIL: ADDRESS };
  await expect(loadSeedConfig({ ...env, SEED_ADMIN_PASSWORD: 'password1234' })).rejects.toThrow(
    /SEED_ADMIN_PASSWORD: is easily guessed/,
  );
  expect(await loadSeedConfig({ ...env, SEED_ADMIN_PASSWORD: PASSWORD })).toMatchObject(env);
});
