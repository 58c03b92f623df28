import type { Session } from '@tollgate/contracts';
import { type RunningBilling, startBillingOn } from '../../testing/billing-service.ts';
import { enter } from '../../testing/bookkeeping.ts';
import { type TestEnvironment, PASSWORD, startTestEnvironment } from '../../testing/test-environment.ts';
import { addPerson, call, readCookie, signIn } from '../../testing/people.ts';
import { useUpTries } from '../../testing/tries.ts';
import { completeAudit } from '../../testing/complete-audit.ts';

interface Made {
  readonly id: string;
  readonly codes: readonly string[];
}
interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
interface Code {
  readonly id: string;
  readonly masked: string;
  readonly status: string;
}
type Refusal = { readonly error: { readonly message: string; readonly param: string | null } };

let environment: TestEnvironment;
let billing: RunningBilling;
let finance: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment, { TRUSTED_PROXIES: '127.0.0.1' });
  await addPerson(environment, 'finance@billing.example', 'finance');
  finance = await signIn(billing.url, 'finance@billing.example');
});
afterAll(async () => {
  const { differences } = await completeAudit(environment.database);
  await billing.stop();
  await environment.stop();
  expect(differences).toEqual([]);
});

let clients = 0;
/** Every call comes from a client of its own, so that tests do not use up each other's tries. */
const anotherClient = () => `198.51.100.${(clients += 1)}`;
let people = 0;
const person = async (): Promise<{ session: Session; cookie: string }> => {
  const session = await addPerson(environment, `customer${(people += 1)}@billing.example`, 'member');
  const answer = await fetch(`${billing.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': anotherClient() },
    body: JSON.stringify({ email: session.email, password: PASSWORD }),
  });
  return { session, cookie: readCookie(answer) };
};
const make = async (params: object = {}, key?: string) =>
  enter<Made>(
    { url: billing.url, cookie: finance },
    '/api/redemption/batches',
    { amount_usd: '5', count: 1, note: 'a test', ...params },
    key,
  );
const oneCode = async (params: object = {}) => {
  const { id, codes } = (await make(params)).body;
  return { batch: id, code: codes[0] ?? '' };
};
const redeem = async <T = Record<string, unknown>>(
  cookie: string,
  code: string,
  client = anotherClient(),
) => {
  const answer = await fetch(`${billing.url}/api/redemption/redeem`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/json',
      'x-forwarded-for': client,
    },
    body: JSON.stringify({ code }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
};
const get = async <T>(path: string, cookie = finance) =>
  call<T>({ url: billing.url, cookie }, 'GET', `/api/redemption/${path}`);
const revoke = (batch: string, body: object = {}) =>
  call<{ revoked: number }>(
    { url: billing.url, cookie: finance },
    'POST',
    `/api/redemption/batches/${batch}/revoke`,
    {
      reason: 'a reason',
      ...body,
    },
  );
const balanceOf = async (cookie: string) =>
  (await call({ url: billing.url, cookie }, 'GET', '/api/ledger/balance')).body['balance_usd'];

test('a code gives its credit to the account of whoever redeems it, however it is typed', async () => {
  const { code } = await oneCode({ amount_usd: '2.50' });
  const { session, cookie } = await person();
  const { status, body } = await redeem(cookie, ` ${code.toLowerCase().replaceAll('-', ' ')}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    kind: 'redemption',
    account_id: session.account_id,
    amount_usd: '2.50',
    reason: `Redemption code ending in ${code.slice(-4)}`,
  });
  expect(await balanceOf(cookie)).toBe('2.50');
});

test('a code is redeemed once, also by many at the same time', async () => {
  const { code } = await oneCode();
  const all = await Promise.all([person(), person(), person()]);
  const answers = await Promise.all([...all, ...all].map(({ cookie }) => redeem<Refusal>(cookie, code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  const balances = await Promise.all(all.map(({ cookie }) => balanceOf(cookie)));
  expect(balances.sort()).toEqual(['0.00', '0.00', '5.00']);
});

test('codes are shown once and stored as hashes', async () => {
  const { body } = await make({ count: 3, expires_at: '2099-01-01T00:00:00Z' });
  expect(body.codes).toHaveLength(3);
  const tables: { name: string }[] = await environment.database.query(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'billing'`,
  );
  for (const { name } of tables) {
    const rows: { text: string }[] = await environment.database.query(
      `SELECT to_jsonb(row)::text AS text FROM ${name} AS row`,
    );
    for (const { text } of rows) {
      for (const code of body.codes) {
        expect(text).not.toContain(code);
        expect(text).not.toContain(code.replaceAll('-', ''));
      }
    }
  }
  const listed = await get<Page<Code>>(`batches/${body.id}/codes`);
  expect(listed.body.items.map(({ masked }) => masked).sort()).toEqual(
    body.codes.map((code) => `…-${code.slice(-4)}`).sort(),
  );
});

test('batches are listed with what became of their codes', async () => {
  const { body } = await make({ count: 3, note: 'counted' });
  const { cookie } = await person();
  await redeem(cookie, body.codes[0] ?? '');
  await redeem(cookie, body.codes[1] ?? '');
  expect((await revoke(body.id)).body).toEqual({ revoked: 1 });
  const { items } = (await get<Page<Record<string, unknown>>>('batches?limit=1')).body;
  expect(items).toMatchObject([
    {
      id: body.id,
      amount_usd: '5.00',
      note: 'counted',
      created_by: 'finance@billing.example',
      count: 3,
      redeemed: 2,
      revoked: 1,
    },
  ]);
  const codes = (await get<Page<Code>>(`batches/${body.id}/codes`)).body.items;
  expect(codes.map(({ status }) => status).sort()).toEqual(['redeemed', 'redeemed', 'revoked']);
});

test('both lists are paged', async () => {
  const { body } = await make({ count: 5 });
  for (const [list, limit] of [
    [`batches/${body.id}/codes`, 2],
    ['batches', 2],
  ] as const) {
    const whole = (await get<Page<Code>>(`${list}?limit=100`)).body.items.map(({ id }) => id);
    const paged: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: Page<Code> = (
        await get<Page<Code>>(`${list}?limit=${limit}${next === '' ? '' : `&cursor=${next}`}`)
      ).body;
      paged.push(...page.items.map(({ id }) => id));
      next = page.next;
    }
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThan(2);
  }
});

test('one code of a batch can be taken back, the others stay good', async () => {
  const { body } = await make({ count: 2 });
  const listed = (await get<Page<Code>>(`batches/${body.id}/codes`)).body.items;
  const [gone = '', good = ''] = body.codes;
  const id = listed.find(({ masked }) => masked.endsWith(gone.slice(-4)))?.id;
  expect((await revoke(body.id, { code_id: id })).body).toEqual({ revoked: 1 });
  expect((await revoke(body.id, { code_id: id })).body).toEqual({ revoked: 0 });
  const { cookie } = await person();
  expect(await redeem<Refusal>(cookie, gone)).toMatchObject({
    status: 409,
    body: { error: { message: 'This code is not valid any more.', param: 'code' } },
  });
  expect((await redeem(cookie, good)).status).toBe(200);
});

test('a code that has expired gives nothing', async () => {
  const { code } = await oneCode({ expires_at: '2026-01-31T00:00:00Z' });
  const { cookie } = await person();
  const { status, body } = await redeem<Refusal>(cookie, code);
  expect([status, body.error.message]).toEqual([409, 'This code has expired on 2026-01-31.']);
  expect(await balanceOf(cookie)).toBe('0.00');
});

test('the same idempotency key makes no second batch', async () => {
  const { body } = await make({}, 'batch-once');
  const again = await enter<Refusal>(
    { url: billing.url, cookie: finance },
    '/api/redemption/batches',
    { amount_usd: '5', count: 1, note: 'a test' },
    'batch-once',
  );
  expect([again.status, again.body.error.param]).toEqual([409, 'idempotency-key']);
  expect(again.body.error.message).toContain(body.id);
});

test('whoever guesses codes is stopped after ten tries a minute, from wherever they come', async () => {
  const guesser = await person();
  const guess = () => redeem(guesser.cookie, '0000-0000-0000-0000');
  expect((await guess()).status).toBe(404);
  const refused = await useUpTries(guess, {
    right: async () => redeem(guesser.cookie, (await oneCode()).code),
    used: 1,
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

test.each<[object, string]>([
  [{ amount_usd: '0' }, 'amount_usd'],
  [{ amount_usd: '-5' }, 'amount_usd'],
  [{ count: 0 }, 'count'],
  [{ count: 10_001 }, 'count'],
  [{ expires_at: 'never' }, 'expires_at'],
  [{ note: '' }, 'note'],
])('a batch with %j is refused', async (params, param) => {
  expect(await make(params)).toMatchObject({ status: 400, body: { error: { param } } });
});

test('only those who keep the books make, list and revoke codes', async () => {
  const { batch } = await oneCode();
  const { cookie } = await person();
  const at = { url: billing.url, cookie };
  const made = await enter(at, '/api/redemption/batches', { amount_usd: '5', count: 1, note: 'mine' });
  expect(made.status).toBe(403);
  expect((await get('batches', cookie)).status).toBe(403);
  expect((await get(`batches/${batch}/codes`, cookie)).status).toBe(403);
  expect((await call(at, 'POST', `/api/redemption/batches/${batch}/revoke`, { reason: 'mine' })).status).toBe(
    403,
  );
  expect((await redeem('', '0000-0000-0000-0000')).status).toBe(401);
});

test.each(['x', '0198f1c2-7d1e-7000-8000-00000000dead'])('there is no batch %s', async (id) => {
  expect((await revoke(id)).status).toBe(404);
});
