import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { checkPassword } from '../auth/password.ts';
import { ApiKeyEntity } from '../keys/api-key.entity.ts';
import { hashKey } from '../keys/key-secret.ts';
import { AccountEntity } from './account.entity.ts';
import { seedFirstAccount } from './first-account.ts';
import { UserEntity } from './user.entity.ts';

let environment: TestEnvironment;
beforeEach(async () => {
  environment = await startTestEnvironment();
});
afterEach(() => environment.stop());

const input = { accountName: 'Again', email: 'owner@BILLING.example', password: 'another long password' };
const counts = async () => ({
  accounts: await environment.database.getRepository(AccountEntity).count(),
  users: await environment.database.getRepository(UserEntity).count(),
  keys: await environment.database.getRepository(ApiKeyEntity).count(),
});

test('the first start makes an account, its owner and a key of the group default', async () => {
  expect(await counts()).toEqual({ accounts: 1, users: 1, keys: 1 });
  const { accountId, email, apiKey } = environment.first;
  const owner = await environment.database.getRepository(UserEntity).findOneByOrFail({ email });
  expect(owner).toMatchObject({ accountId, role: 'owner' });
  expect(await checkPassword(owner.passwordHash, PASSWORD)).toBe(true);
  expect(
    await environment.database.getRepository(ApiKeyEntity).findOneByOrFail({ keyHash: hashKey(apiKey) }),
  ).toMatchObject({ accountId, group: 'default', status: 'active', budgetPico: null });
});

test('a start with the key of an earlier one changes nothing', async () => {
  const again = await seedFirstAccount(environment.database, { ...input, apiKey: environment.first.apiKey });
  expect(again).toEqual(environment.first);
  expect(await counts()).toEqual({ accounts: 1, users: 1, keys: 1 });
  const owner = await environment.database
    .getRepository(UserEntity)
    .findOneByOrFail({ email: environment.first.email });
  expect(await checkPassword(owner.passwordHash, PASSWORD)).toBe(true);
});

test('without that key, or when it was deleted, the same account gets a new one', async () => {
  const second = await seedFirstAccount(environment.database, input);
  expect(second).toMatchObject({ accountId: environment.first.accountId, email: environment.first.email });
  expect(second.apiKey).not.toBe(environment.first.apiKey);
  const keys = environment.database.getRepository(ApiKeyEntity);
  await keys.update({ keyHash: hashKey(second.apiKey) }, { deletedAt: new Date() });
  const third = await seedFirstAccount(environment.database, { ...input, apiKey: second.apiKey });
  expect(third.apiKey).not.toBe(second.apiKey);
  expect(await counts()).toEqual({ accounts: 1, users: 1, keys: 3 });
});

test('several starts at once make one account', async () => {
  const email = 'new@billing.example';
  const made = await Promise.all(
    [1, 2, 3, 4].map(() => seedFirstAccount(environment.database, { ...input, email })),
  );
  expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1);
  expect(await counts()).toMatchObject({ accounts: 2, users: 2 });
});
