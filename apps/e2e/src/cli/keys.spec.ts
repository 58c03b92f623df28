import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBooks } from '../books.ts';
import { ask, requestId } from '../pools/own-pool.ts';
import { admin, house } from '../house.ts';
import { tollgate } from './tollgate.ts';

const at = house();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

test('a key is made, listed, rotated and disabled', async () => {
  const made = await tollgate(['keys', 'create', '--name', 'from the terminal', '--budget-daily', '3']);
  expect(made.exit).toBe(0);
  const key = made.out.trim();
  expect((await ask(at.baseUrl, { key, model: 'sim-chat' })).status).toBe(200);
  const listed = JSON.parse((await tollgate(['keys', 'list', '--json'])).out) as {
    id: string;
    name: string;
  }[];
  const { id = '' } = listed.find(({ name }) => name === 'from the terminal') ?? {};
  expect((await tollgate(['keys', 'list'])).out).toMatch(/^ID +NAME +KEY +GROUP +STATUS/);

  const rotated = (await tollgate(['keys', 'rotate', id, '--overlap', '0'])).out.trim();
  expect((await ask(at.baseUrl, { key: rotated, model: 'sim-chat' })).status).toBe(200);
  expect(await tollgate(['keys', 'disable', id])).toMatchObject({
    exit: 0,
    out: expect.stringContaining('is disabled') as string,
  });
  expect((await ask(at.baseUrl, { key: rotated, model: 'sim-chat' })).status).not.toBe(200);
});

test('credit that is granted is in the balance, once for an idempotency key', async () => {
  const balance = async () =>
    JSON.parse((await tollgate(['credit', 'balance', '--json'])).out) as { balance_usd: string };
  const grant = [
    'credit',
    'grant',
    '--account',
    at.accountId,
    '--usd',
    '2.50',
    '--reason',
    'a test',
    '--json',
  ];
  const once = [...grant, '--idempotency-key', `grant-${process.pid}`];
  const first = JSON.parse((await tollgate(once)).out) as { number: number };
  expect(JSON.parse((await tollgate(once)).out)).toMatchObject({ number: first.number });
  expect(await balance()).toHaveProperty('balance_usd');
  const { granted } = await books.one(
    `SELECT count(*) AS granted FROM billing.ledger_transaction WHERE idempotency_key = $1`,
    [`grant-${process.pid}`],
  );
  expect(granted).toBe('1');
});

test('an export is run, and its files are fetched and checked', async () => {
  const answer = await ask(at.baseUrl, { key: at.apiKey, model: 'sim-chat' });
  await books.usage(requestId(answer));
  const output = mkdtempSync(join(tmpdir(), 'tollgate-export-'));
  const [from, to] = [Date.now() - 3_600_000, Date.now() + 60_000].map((time) =>
    new Date(time).toISOString(),
  );
  const ran = await tollgate(['exports', 'run', '--from', from ?? '', '--to', to ?? '', '-o', output]);
  expect(ran.exit).toBe(0);
  const files = ran.out.trim().split('\n');
  expect(files[0]).toMatch(/-manifest\.json$/);
  expect(readFileSync(files[1] ?? '', 'utf8')).toContain(requestId(answer));
  expect((await tollgate(['exports', 'list'])).out).toMatch(/usage +csv +done/);
});

test('somebody signs in with an e-mail address and a password, and out again', async () => {
  // Of the owner, whom other tests sign in and out too, nobody could tell.
  const email = `cli-${Date.now()}@e2e.example`;
  const password = 'a long enough password';
  const invites = `/api/accounts/${at.accountId}/invites`;
  const { token } = await admin<{ token: string }>(at, 'POST', invites, { email });
  await admin({ ...at, cookie: '' }, 'POST', '/api/links/use', { token, name: 'Terminal', password });
  const sessions = () =>
    books.one(
      `SELECT count(*) AS count FROM billing.session
       WHERE user_id = (SELECT id FROM billing.app_user WHERE email = $1)`,
      [email],
    );
  const before = await sessions();
  const env = { TOLLGATE_SESSION: '', TOLLGATE_EMAIL: email, TOLLGATE_PASSWORD: password };
  expect(await tollgate(['credit', 'balance'], { env })).toMatchObject({ exit: 0 });
  expect(await sessions()).toEqual(before);
});

test.each<[string, readonly string[], Record<string, string>, RegExp]>([
  ['nobody', ['keys', 'list'], { TOLLGATE_SESSION: '' }, /Nobody is signed in\.\nSet TOLLGATE_EMAIL/],
  [
    'a session that is over',
    ['keys', 'list'],
    { TOLLGATE_SESSION: 'gone' },
    /Sign in first.*\nSet TOLLGATE_EMAIL/,
  ],
  ['no address', ['keys', 'list'], { TOLLGATE_URL: '' }, /TOLLGATE_URL is not set/],
  ['an address where nobody is', ['keys', 'list'], { TOLLGATE_URL: 'http://127.0.0.1:1' }, /does not answer/],
  ['an unknown key', ['keys', 'disable', 'no-such-key'], {}, /There is no such key\.\nCheck the id/],
  [
    'an unknown account',
    ['credit', 'balance', '--account', 'no such account'],
    {},
    /There is no account "no such account"/,
  ],
  ['an unknown command', ['kyes'], {}, /unknown command 'kyes'/],
])('with %s the command fails and says what to do', async (_what, args, env, says) => {
  const { exit, out, err } = await tollgate(args, { env });
  expect([exit, out]).toEqual([1, '']);
  expect(err).toMatch(says);
});
