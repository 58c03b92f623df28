import { keyRecordRedisKey } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/test-environment.ts';
import { addKey } from '../../testing/keys.ts';
import { call, signIn } from '../../testing/people.ts';
import { createKeyChanges, type KeyChanges } from './key-changes.ts';
import { removeEndedKeys } from './temporary-keys.ts';

interface Listed {
  readonly items: readonly { readonly id: string; readonly name: string; readonly temporary: boolean }[];
}

let environment: TestEnvironment;
let billing: RunningBilling;
let changes: KeyChanges;
let cookie: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  changes = createKeyChanges(environment.database, environment.redis, silent);
  cookie = await signIn(billing.url, environment.first.email);
});
afterAll(async () => {
  changes.close();
  await billing.stop();
  await environment.stop();
});

const listed = async () =>
  (await call<Listed>({ url: billing.url, cookie }, 'GET', '/api/keys?limit=200')).body.items;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test('only temporary keys that have ended are deleted; gateways forget them, and the audit log says why', async () => {
  const { accountId } = environment.first;
  const ended = await addKey(environment.database, { accountId, temporary: true, expiresAt: inMinutes(-1) });
  const others = [
    await addKey(environment.database, { accountId, temporary: true, expiresAt: inMinutes(5) }),
    await addKey(environment.database, { accountId, temporary: false, expiresAt: inMinutes(-1) }),
  ];
  await environment.redis.set(keyRecordRedisKey(ended.keyHash), '{}');

  expect(await removeEndedKeys(environment.database, changes)).toBe(1);
  expect(await removeEndedKeys(environment.database, changes)).toBe(0);

  const ids = (await listed()).map(({ id }) => id);
  expect(ids).not.toContain(ended.id);
  expect(ids).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
  expect(await environment.redis.get(keyRecordRedisKey(ended.keyHash))).toBe('null');
  expect(
    await environment.database.query(
      'SELECT actor, action, account_id, reason FROM billing.audit_log WHERE object = $1',
      [`key ${ended.id}`],
    ),
  ).toEqual([
    {
      actor: 'system',
      action: 'key.delete',
      account_id: accountId,
      reason: 'A temporary key that has ended.',
    },
  ]);
});
