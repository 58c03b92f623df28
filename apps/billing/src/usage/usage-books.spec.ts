import { unverifiedSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET, waitFor } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import { z } from 'zod';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { createCreditEnvironment } from '../../testing/credit.ts';
import { call, signIn } from '../../testing/people.ts';
import { usageEvent } from '../../testing/usage-events.ts';

let pair: Pair;
let billing: RequestReplyClient;
let hashes: string[];
/** The third version adds a model to the second, the fourth takes it back. */
const PUBLISHED_AGAIN = 4;
beforeAll(async () => {
  pair = await startPair();
  billing = createRequestReplyClient(
    `tcp://127.0.0.1:${pair.billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const cookie = await signIn(pair.billing.url, pair.environment.first.email);
  const dearer = { vendor: 'openai', prices: { input: 5_000_000, output: 20_000_000 } };
  await call({ url: pair.pricing.url, cookie }, 'PUT', '/api/catalogue/models/sim-chat', dearer);
  await call({ url: pair.pricing.url, cookie }, 'PUT', '/api/catalogue/models/for-a-while', dearer);
  await call({ url: pair.pricing.url, cookie }, 'DELETE', '/api/catalogue/models/for-a-while');
  const pricing = createRequestReplyClient(
    pair.billing.config.PRICING_TCP_URL,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
  const lists = [1, 2, 3, PUBLISHED_AGAIN].map((version) =>
    pricing.request(MESSAGE.snapshotGet, { version }, unverifiedSnapshotSchema),
  );
  hashes = (await Promise.all(lists)).map(({ hash }) => hash);
  pricing.close();
});
afterAll(async () => {
  billing.close();
  await pair.stop();
});

const event = (request_id: string, of: object = {}) =>
  usageEvent({
    request_id,
    account_id: pair.environment.first.accountId,
    model: 'sim-chat',
    tokens: { input: 1_000 },
    ...of,
  });
const post = (...events: object[]) => billing.request(MESSAGE.usagePost, { events }, z.null(), 10_000);
const usageOf = (requestId: string) =>
  pair.environment.database
    .query('SELECT cost_pico::text AS cost, snapshot_version FROM billing.usage WHERE request_id = $1', [
      requestId,
    ])
    .then((rows: object[]) => rows[0]);

interface Kept {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}
const keptOf = async (requestId: string): Promise<Kept | undefined> => {
  const rows: Kept[] = await pair.environment.database.query(
    'SELECT id, state, reason FROM billing.usage_rejected WHERE request_id = $1',
    [requestId],
  );
  return rows[0];
};

test('what a gateway hands over past the queue is in the books when it is answered, once however often it comes', async () => {
  await post(event('req_handed_over'), event('req_beside'));
  expect(await usageOf('req_handed_over')).toEqual({ cost: '2500000000', snapshot_version: 1 });
  await post(event('req_handed_over'));
  const [{ sum }] = await pair.environment.database.query(
    `SELECT count(*)::int AS sum FROM billing.usage WHERE request_id = 'req_handed_over'`,
  );
  expect(sum).toBe(1);
});

test('an event is priced by the hash that it names, and booked under the number of these prices', async () => {
  await post(
    event('req_number_and_hash', { snapshot_version: 2, snapshot_hash: hashes[1] }),
    event('req_number_given_twice', { snapshot_version: 2, snapshot_hash: hashes[0] }),
    event('req_number_unknown', { snapshot_version: 77, snapshot_hash: hashes[1] }),
  );
  expect(await usageOf('req_number_and_hash')).toEqual({ cost: '5000000000', snapshot_version: 2 });
  expect(await usageOf('req_number_given_twice')).toEqual({ cost: '2500000000', snapshot_version: 1 });
  expect(await usageOf('req_number_unknown')).toEqual({ cost: '5000000000', snapshot_version: 2 });
});

test('a catalogue that is published again is booked under the number of each time', async () => {
  expect(hashes[PUBLISHED_AGAIN - 1]).toBe(hashes[1]);
  const admittedUnder = (version: number) => ({ snapshot_version: version, snapshot_hash: hashes[1] });
  await post(event('req_first_time', admittedUnder(2)));
  await post(event('req_again', admittedUnder(PUBLISHED_AGAIN)));
  await post(event('req_late_of_first', admittedUnder(2)));
  expect(await usageOf('req_first_time')).toEqual({ cost: '5000000000', snapshot_version: 2 });
  expect(await usageOf('req_again')).toEqual({ cost: '5000000000', snapshot_version: PUBLISHED_AGAIN });
  expect(await usageOf('req_late_of_first')).toEqual({ cost: '5000000000', snapshot_version: 2 });
});

test('an event whose hash nobody knows is priced by no other list, though it has its number', async () => {
  const unknown = event('req_hash_unknown', { snapshot_version: 1, snapshot_hash: 'ab'.repeat(32) });
  await post(unknown);
  expect(await usageOf('req_hash_unknown')).toBeUndefined();
  expect(await keptOf('req_hash_unknown')).toMatchObject({ state: 'waiting' });
});

test('what a constraint refuses stays held until it is booked', async () => {
  const { openAccount, grant, fields, holdFor } = createCreditEnvironment(pair.environment);
  const owner = await openAccount();
  const { database } = pair.environment;
  await grant(owner.accountId, 8_000_000_000n);
  await billing.request(MESSAGE.creditLoad, { scopes: [owner.account] }, z.null());
  await holdFor('req_refused', owner, [owner.account], 3_000);
  await holdFor('req_beside_refused', owner, [owner.account], 4_000);
  expect(await fields(owner.account)).toEqual([8_000, 7_000]);
  await database.query(`ALTER TABLE billing.usage ADD CONSTRAINT odd CHECK (pool <> 'odd')`);
  const of = { account_id: owner.accountId, key_id: owner.keyId };
  await post(event('req_refused', { ...of, pool: 'odd' }), event('req_beside_refused', of));
  expect(await keptOf('req_refused')).toMatchObject({ state: 'waiting' });
  expect(await fields(owner.account)).toEqual([5_500, 3_000]);
  await database.query('ALTER TABLE billing.usage DROP CONSTRAINT odd');
  await waitFor(async () => (await usageOf('req_refused')) !== undefined, 'it to be booked', 60_000);
  await waitFor(async () => (await fields(owner.account))?.[1] === 0, 'its hold to be released', 60_000);
  expect(await fields(owner.account)).toEqual([3_000, 0]);
});
