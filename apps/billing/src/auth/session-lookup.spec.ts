import { randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import { MESSAGE, type Session, sessionSchema } from '@tollgate/contracts';
import { TEST_ANSWER_MS, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { createRequestReplyClient, type RequestReplyClient } from '@tollgate/platform';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, signIn } from '../../testing/people.ts';
import { sessionPolicy } from './session-policy.ts';
import { createSessions } from './session-store.ts';

let environment: TestEnvironment;
let billing: RunningBilling;
let client: RequestReplyClient;
let person: Session;
let cookie: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  client = createRequestReplyClient(
    `tcp://127.0.0.1:${billing.config.TCP_PORT}`,
    [TEST_SERVICE_SECRET],
    TEST_ANSWER_MS,
  );
});
afterAll(async () => {
  client.close();
  await billing.stop();
  await environment.stop();
});

let people = 0;
beforeEach(async () => {
  person = await addPerson(environment, `person${(people += 1)}@billing.example`, 'finance');
  // The tries to sign in are counted there: each test has all of them.
  await environment.redis.flushall();
  cookie = await signIn(billing.url, person.email);
});

const lookUp = (header: string): Promise<Session | null> =>
  client.request(MESSAGE.sessionLookup, { cookie: header }, sessionSchema.nullable());
const nobodyFor = async (header: string): Promise<void> => {
  expect(await lookUp(header)).toBeNull();
  const answer = await fetch(`${billing.url}/api/auth/session`, { headers: { cookie: header } });
  expect(answer.status).toBe(401);
};

test('another service learns who is signed in from the raw Cookie header', async () => {
  expect(await lookUp(cookie)).toEqual(person);
  expect(await lookUp(`theme=dark; ${cookie}; other=1`)).toEqual(person);
});

test.each(['', 'theme=dark', 'tollgate_session=', 'tollgate_session=abc', 'tollgate_session=a.b', ';;;=%zz'])(
  'the Cookie header "%s" is nobody',
  (header) => nobodyFor(header),
);

test('a forged signature is nobody', async () => {
  const value = decodeURIComponent(/tollgate_session=([^;]*)/.exec(cookie)?.[1] ?? '');
  const [id = '', signature = ''] = value.split('.');
  const signedBy = (secret: string) => encodeURIComponent(new Signer(secret).sign(id));
  expect(await lookUp(`tollgate_session=${signedBy(billing.config.SESSION_SECRET)}`)).toEqual(person);

  await nobodyFor(`tollgate_session=${signedBy(randomBytes(32).toString('hex'))}`);
  await nobodyFor(`tollgate_session=${id}`);
  const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  await nobodyFor(`tollgate_session=${encodeURIComponent(`${id}.${flipped}`)}`);
  await nobodyFor(`tollgate_session=${encodeURIComponent(`${id}x.${signature}`)}`);
});

test('a session that has expired is nobody', async () => {
  await environment.database.query(
    `UPDATE billing.session SET expires_at = now() - interval '1 second' WHERE user_id = $1`,
    [person.user_id],
  );
  await nobodyFor(cookie);
});

test('a person who was removed is nobody', async () => {
  await environment.database.query('DELETE FROM billing.app_user WHERE id = $1', [person.user_id]);
  await nobodyFor(cookie);
});

test('a change of role holds at once', async () => {
  await environment.database.query(`UPDATE billing.app_user SET role = 'admin' WHERE id = $1`, [
    person.user_id,
  ]);
  expect(await lookUp(cookie)).toEqual({ ...person, role: 'admin' });
});

test('expired sessions are cleared away, others stay', async () => {
  await environment.database.query(
    `INSERT INTO billing.session (id_hash, data, expires_at) VALUES ('expired', '{}', now() - interval '1 day')`,
  );
  await createSessions(environment.database, sessionPolicy(billing.config)).removeExpired();
  const rows: { expired: boolean }[] = await environment.database.query(
    'SELECT expires_at < now() AS expired FROM billing.session',
  );
  expect(rows.filter(({ expired }) => expired)).toEqual([]);
  expect(await lookUp(cookie)).toEqual(person);
});
