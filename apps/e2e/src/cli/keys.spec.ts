import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBooks } from '../books.ts';
import { ask, requestId } from '../pools/own-pool.ts';
import { admin, sharedStack, signIn } from '../shared-stack.ts';
import { previousTotpCode, totpCode } from '../totp.ts';
import { type Ended, runProgram, tollgate } from './tollgate.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
afterAll(() => books.close());

test('a key is made, listed, rotated and disabled', async () => {
  const made = await runProgram(['keys', 'create', '--name', 'from the terminal', '--budget-daily', '3']);
  expect(made.exit).toBe(0);
  const key = made.out.trim();
  expect((await ask(at.baseUrl, { key, model: 'sim-chat' })).status).toBe(200);
  const listed = JSON.parse((await tollgate(['keys', 'list', '--json'])).out) as {
    id: string;
    name: string;
  }[];
  const { id = '' } = listed.find(({ name }) => name === 'from the terminal') ?? {};
  const table = (await tollgate(['keys', 'list'])).out;
  expect(table).toMatch(/^ID +NAME +KEY +OWNER +GROUP +STATUS .* OPERATORS SET/);
  // The owner made it.
  expect(table.split('\n').find((line) => line.startsWith(id))).toMatch(/ group budgets\.daily_usd$/);

  const rotated = (await tollgate(['keys', 'rotate', id, '--overlap', '0'])).out.trim();
  expect((await ask(at.baseUrl, { key: rotated, model: 'sim-chat' })).status).toBe(200);
  expect(await tollgate(['keys', 'disable', id])).toMatchObject({
    exit: 0,
    out: expect.stringContaining('is disabled') as string,
  });
  expect((await ask(at.baseUrl, { key: rotated, model: 'sim-chat' })).status).not.toBe(200);
});

describe('somebody with a second factor', () => {
  const person = { email: `cli-${process.pid}@e2e.example`, password: 'a long enough password' };
  let secret = '';
  let recoveryCode = '';
  let cookie = '';
  beforeAll(async () => {
    const { id } = await admin(at, 'POST', '/api/accounts', { name: person.email });
    await admin(at, 'POST', `/api/accounts/${id}/users`, { ...person, role: 'admin' });
    cookie = await signIn(at.baseUrl, person);
    const self = { ...at, cookie };
    secret = (await admin(self, 'POST', '/api/auth/factors/totp', {})).secret;
    const { recovery_codes: codes } = await admin(self, 'POST', '/api/auth/factors/totp/confirm', {
      code: await previousTotpCode(secret),
    });
    recoveryCode = codes?.[0] ?? '';
  });

  /** All tests together have ten sign-ins a minute from one address: where others have used them up, it waits. */
  async function listKeys(code?: string): Promise<Ended> {
    const env = {
      TOLLGATE_SESSION: '',
      TOLLGATE_EMAIL: person.email,
      TOLLGATE_PASSWORD: person.password,
      ...(code === undefined ? {} : { TOLLGATE_CODE: code }),
    };
    const ended = await tollgate(['keys', 'list', '--json'], { env });
    const seconds = /Too many tries[^]*in (\d+) s/.exec(ended.err)?.[1];
    if (seconds === undefined) return ended;
    await sleep(Number(seconds) * 1_000);
    return listKeys(code);
  }

  test('shows it by TOLLGATE_CODE, and is told what to set where it is missing', async () => {
    const missing = await listKeys();
    expect([missing.exit, missing.out]).toEqual([1, '']);
    expect(missing.err).toContain('Set TOLLGATE_CODE to the code that your app shows.');
    const wrong = await listKeys('000000');
    expect([wrong.exit, wrong.out]).toEqual([1, '']);
    expect(wrong.err).toContain('this one is wrong');
    expect(await listKeys(totpCode(secret))).toMatchObject({ exit: 0, out: '[]\n' });
    expect(await listKeys(recoveryCode)).toMatchObject({ exit: 0, out: '[]\n' });
    expect((await listKeys(recoveryCode)).exit).toBe(1);
  }, 60_000);

  test('with a session of a while ago is told that it is too old for what is dangerous', async () => {
    await books.one(
      `UPDATE billing.session SET data = jsonb_set(data, '{authenticatedAt}', '0')
       WHERE user_id = (SELECT id FROM billing.app_user WHERE email = $1)`,
      [person.email],
    );
    const file = join(mkdtempSync(join(tmpdir(), 'tollgate-cli-')), 'catalogue.yaml');
    const env = { TOLLGATE_SESSION: cookie };
    const applyOwn = async (): Promise<Ended> => {
      const { out: pulled } = await tollgate(['catalogue', 'pull']);
      writeFileSync(file, pulled.replace(/^vendors:$/m, 'vendors:\n  - name: too-late'));
      const applied = await tollgate(['catalogue', 'apply', '-f', file, '--yes'], { env });
      // Other tests may have published in between: then the file takes away what is theirs.
      return /Plan: 1 to add, 0 to change, 0 to remove/.test(applied.out + applied.err)
        ? applied
        : applyOwn();
    };
    const applied = await applyOwn();
    expect(applied.exit).toBe(1);
    expect(applied.err).toContain('begun too long ago');
  });
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
  const ran = await runProgram(['exports', 'run', '--from', from ?? '', '--to', to ?? '', '-o', output]);
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
  const { token } = await admin(at, 'POST', invites, { email });
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

test('the program ends with the exit code of its command', async () => {
  const { exit, out, err } = await runProgram(['keys', 'list'], { env: { TOLLGATE_SESSION: '' } });
  expect([exit, out]).toEqual([1, '']);
  expect(err).toContain('Nobody is signed in.');
});
