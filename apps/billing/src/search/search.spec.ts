// People of each role look for what is their own and another's over HTTP.
import type { AnswerOf, search } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { addKey } from '../../testing/keys.ts';
import { addPerson, call, signIn } from '../../testing/people.ts';
import { requestRecord } from '../../testing/request-records.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { uuidv7 } from '../accounts/uuid.ts';
import { createRequestNotes } from '../requests/note-batch.ts';

let environment: TestEnvironment;
let billing: RunningBilling;
let theirs: Session;
const cookies = { owner: '', finance: '', member: '', theirs: '' };
const REQUEST = `req_${Date.now().toString(16).padStart(12, '0').padEnd(32, '0')}`;

beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  cookies.owner = await signIn(billing.url, environment.first.email);
  for (const role of ['finance', 'member'] as const) {
    await addPerson(environment, `${role}@billing.example`, role);
    cookies[role] = await signIn(billing.url, `${role}@billing.example`);
  }
  theirs = await addPerson(environment, 'northwind@other.example', 'member');
  cookies.theirs = await signIn(billing.url, theirs.email);
  const key = await addKey(environment.database, { accountId: theirs.account_id });
  await environment.database.query(`UPDATE billing.api_key SET name = 'Northwind nightly' WHERE id = $1`, [
    key.id,
  ]);
  const refused = requestRecord({
    request_id: REQUEST,
    occurred_at: new Date().toISOString(),
    account_id: theirs.account_id,
    key_id: key.id,
  });
  await createRequestNotes(environment.database).note({ id: uuidv7(), records: [refused], counts: [] });
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const ask = async (who: keyof typeof cookies, query: string) =>
  (
    await call<AnswerOf<typeof search.search>>(
      { url: billing.url, cookie: cookies[who] },
      'GET',
      `/api/search?${query}`,
    )
  ).body;

/** How many of each were found. */
const count = ({ keys, accounts, people, requests }: AnswerOf<typeof search.search>) => ({
  keys: keys.length,
  accounts: accounts.length,
  people: people.length,
  requests: requests.length,
});
const NONE = { keys: 0, accounts: 0, people: 0, requests: 0 };

test.each([
  ['owner', 'NORTHWIND', { ...NONE, keys: 1, accounts: 1, people: 1 }],
  ['finance', 'northwind', { ...NONE, keys: 1, accounts: 1 }],
  ['theirs', 'northwind', { ...NONE, keys: 1 }],
  ['member', 'northwind', NONE],
  ['owner', REQUEST, { ...NONE, requests: 1 }],
  ['finance', REQUEST, NONE],
  ['theirs', REQUEST, { ...NONE, requests: 1 }],
  ['member', REQUEST, NONE],
  ['owner', '%25', NONE],
] as const)('%s who looks for %s finds %j', async (who, find, found) => {
  expect(count(await ask(who, `find=${find}`))).toEqual(found);
});

test('without a text the newest keys are told, of an account for who keeps the books, and no account but their own for others', async () => {
  const { keys } = await ask('finance', `account_id=${theirs.account_id}`);
  expect(keys).toMatchObject([
    { name: 'Northwind nightly', account_id: theirs.account_id, is_deleted: false },
  ]);
  expect(count(await ask('theirs', ''))).toEqual({ ...NONE, keys: 1 });
  expect(count(await ask('member', ''))).toEqual(NONE);
  const refused = await call(
    { url: billing.url, cookie: cookies.member },
    'GET',
    `/api/search?account_id=${theirs.account_id}`,
  );
  expect(refused.status).toBe(403);
});
