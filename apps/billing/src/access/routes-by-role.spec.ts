import { listOperations, SERVICES } from '@tollgate/api';
import { type ApiDocument, badRequests, findServerErrors } from '@tollgate/harness';
import { listRoutes } from '@tollgate/platform';
import type { Session } from '@tollgate/contracts';
import { ROLES } from '@tollgate/vocabulary';
import { type Pair, startPair } from '../../testing/billing-service.ts';
import { addPerson, signIn } from '../../testing/people.ts';

// Every route of the running service is called in every role, with ids of nothing. Who may call it stands below, as
// the docs say it; a route that does not stand there must be refused to everybody.

const ANYBODY = 'anybody';
const EVERYBODY = ['owner', 'admin', 'finance', 'member'];
const BOOKS = ['owner', 'admin', 'finance'];
const OPERATORS = ['owner', 'admin'];

const MAY: Readonly<Record<string, readonly string[] | typeof ANYBODY>> = {
  'POST /api/auth/login': ANYBODY,
  'POST /api/auth/logout': ANYBODY,
  'GET /api/auth/session': ANYBODY,
  'GET /api/auth/oidc': ANYBODY,
  'POST /api/auth/oidc/start': ANYBODY,
  'GET /api/auth/oidc/callback': ANYBODY,
  'GET /api/setup': ANYBODY,
  'POST /api/setup': ANYBODY,
  'POST /api/links/look': ANYBODY,
  'POST /api/links/use': ANYBODY,
  'GET /api/auth/passkey': ANYBODY,
  'POST /api/auth/passkey': ANYBODY,
  'POST /api/auth/passkey/options': ANYBODY,
  // Of a session between password and second factor, which is nobody's yet: second-factor.spec.ts.
  'GET /api/auth/second-factor': ANYBODY,
  'POST /api/auth/second-factor': ANYBODY,
  'POST /api/auth/second-factor/passkey': ANYBODY,
  'POST /api/auth/second-factor/passkey/options': ANYBODY,

  'GET /api/auth/sessions': EVERYBODY,
  'DELETE /api/auth/sessions': EVERYBODY,
  'DELETE /api/auth/sessions/:session': EVERYBODY,
  'GET /api/auth/profile': EVERYBODY,
  'PATCH /api/auth/profile': EVERYBODY,
  'PUT /api/auth/password': EVERYBODY,
  'GET /api/auth/reauthentication': EVERYBODY,
  'POST /api/auth/reauthentication': EVERYBODY,
  'POST /api/auth/reauthentication/passkey': EVERYBODY,
  'POST /api/auth/reauthentication/passkey/options': EVERYBODY,
  'GET /api/auth/factors': EVERYBODY,
  'POST /api/auth/factors/totp': EVERYBODY,
  'POST /api/auth/factors/totp/confirm': EVERYBODY,
  'DELETE /api/auth/factors/totp': EVERYBODY,
  'POST /api/auth/factors/passkeys': EVERYBODY,
  'POST /api/auth/factors/passkeys/options': EVERYBODY,
  'PATCH /api/auth/factors/passkeys/:passkey': EVERYBODY,
  'DELETE /api/auth/factors/passkeys/:passkey': EVERYBODY,
  'POST /api/auth/factors/recovery-codes': EVERYBODY,

  'GET /api/accounts': BOOKS,
  'POST /api/accounts': OPERATORS,
  // Members their own account only: accounts.controller.spec.ts.
  'GET /api/accounts/:id': EVERYBODY,
  'PATCH /api/accounts/:id': OPERATORS,
  'GET /api/accounts/:id/users': OPERATORS,
  'POST /api/accounts/:id/users': OPERATORS,
  'PATCH /api/accounts/:id/users/:user': OPERATORS,
  'DELETE /api/accounts/:id/users/:user': OPERATORS,
  'PUT /api/accounts/:id/users/:user/password': OPERATORS,
  'DELETE /api/accounts/:id/users/:user/factors': OPERATORS,
  'GET /api/accounts/:id/invites': OPERATORS,
  'POST /api/accounts/:id/invites': OPERATORS,
  'DELETE /api/accounts/:id/invites/:invite': OPERATORS,
  'POST /api/accounts/:id/users/:user/password-link': OPERATORS,

  'GET /api/keys': EVERYBODY,
  'POST /api/keys': ['owner', 'admin', 'member'],
  'POST /api/keys/import': ['owner'],
  'PATCH /api/keys/:id': ['owner', 'admin', 'member'],
  'POST /api/keys/:id/rotate': ['owner', 'admin', 'member'],
  'DELETE /api/keys/:id': ['owner', 'admin', 'member'],

  'GET /api/usage': EVERYBODY,
  'GET /api/usage/summary': EVERYBODY,
  'GET /api/usage.csv': EVERYBODY,
  'GET /api/usage/partitions': OPERATORS,
  'POST /api/usage/partitions/:month/detach': ['owner'],
  'POST /api/usage/partitions/:month/drop': ['owner'],
  'GET /api/usage/rejected': BOOKS,
  'POST /api/usage/rejected/:id/retry': BOOKS,

  'GET /api/requests': EVERYBODY,
  'GET /api/requests/:id': EVERYBODY,
  'GET /api/requests/counts': EVERYBODY,
  'GET /api/requests/totals': EVERYBODY,

  'GET /api/ledger/balance': EVERYBODY,
  'GET /api/ledger/transactions': EVERYBODY,
  'GET /api/ledger/transactions/:number': EVERYBODY,
  'GET /api/ledger/totals': EVERYBODY,
  'POST /api/ledger/audits': BOOKS,
  'GET /api/ledger/audits': BOOKS,
  'GET /api/ledger/audits/:id': BOOKS,
  'POST /api/ledger/payments': BOOKS,
  'POST /api/ledger/grants': BOOKS,
  'POST /api/ledger/payouts': BOOKS,
  'POST /api/ledger/refunds': BOOKS,
  'POST /api/ledger/corrections': BOOKS,
  'POST /api/ledger/adjustments': BOOKS,
  'POST /api/ledger/write-offs': BOOKS,

  'GET /api/periods': BOOKS,
  'GET /api/periods/accounts': BOOKS,
  'GET /api/periods/accounts.csv': BOOKS,
  'GET /api/periods/:account/:month': BOOKS,
  'POST /api/periods/close': BOOKS,
  'POST /api/periods/verify': BOOKS,
  'GET /api/verifications': BOOKS,
  'GET /api/verifications/:id': BOOKS,
  'GET /api/overview': OPERATORS,
  // Of each role what concerns it: notices.spec.ts.
  'GET /api/notices': EVERYBODY,
  'GET /api/search': EVERYBODY,
  'GET /api/finance/margins': BOOKS,
  'POST /api/finance/rerates': BOOKS,
  'GET /api/finance/usage-reviews': BOOKS,
  'POST /api/finance/usage-reviews/:request_id/accept': BOOKS,
  'POST /api/finance/usage-reviews/:request_id/dismiss': BOOKS,
  'GET /api/finance/reconciliations': BOOKS,
  'GET /api/finance/reconciliations/:id': BOOKS,
  'POST /api/finance/reconciliations': BOOKS,

  'GET /api/redemption/batches': BOOKS,
  'POST /api/redemption/batches': BOOKS,
  'GET /api/redemption/batches/:id/codes': BOOKS,
  'POST /api/redemption/batches/:id/revoke': BOOKS,
  'POST /api/redemption/redeem': EVERYBODY,

  'GET /api/statements': EVERYBODY,
  'GET /api/statements/:month': EVERYBODY,
  'GET /api/statements/:month/keys': EVERYBODY,
  'POST /api/exports': EVERYBODY,
  'GET /api/exports': EVERYBODY,
  'GET /api/exports/:id': EVERYBODY,
  'GET /api/exports/:id/manifest': EVERYBODY,
  'GET /api/exports/:id/file': EVERYBODY,
  'DELETE /api/exports/:id': EVERYBODY,
  'GET /api/exports/schedules': BOOKS,
  'POST /api/exports/schedules': BOOKS,
  'PATCH /api/exports/schedules/:id': BOOKS,
  'DELETE /api/exports/schedules/:id': BOOKS,

  'GET /api/audit-log': BOOKS,
  'GET /api/system': OPERATORS,
};

const NOTHING = '0198f1c2-7d1e-7000-8000-00000000dead';

let pair: Pair;
const people = new Map<string, { readonly session: Session; cookie: string }>();
beforeAll(async () => {
  pair = await startPair();
  for (const role of ROLES) {
    const session = await addPerson(pair.environment, `${role}@roles.example`, role);
    people.set(role, { session, cookie: await signIn(pair.billing.url, session.email) });
  }
});
afterAll(() => pair.stop());

const routes = () => listRoutes(pair.billing.app).map(({ method, path }) => `${method} ${path}`);

async function callAs(role: string, route: string): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = route.split(' ');
  const url = `${pair.billing.url}${path.replace(':month', '2026-01').replace(':number', '1').replace(/:\w+/g, NOTHING)}`;
  const cookie = people.get(role)?.cookie;
  const isCsv = route === 'POST /api/finance/reconciliations';
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(method === 'GET' || method === 'DELETE'
        ? {}
        : { 'content-type': isCsv ? 'text/csv' : 'application/json' }),
    },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: isCsv ? 'x' : '{}' }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('what is served is what the contract describes', () => {
  const described = listOperations(SERVICES.billing.resources).map(
    ([, { method, path }]) => `${method} ${path}`,
  );
  expect(routes().toSorted()).toEqual(described.toSorted());
});

test('the table names every route, and no other', () => {
  expect(routes().toSorted()).toEqual(Object.keys(MAY).toSorted());
});

test.each(ROLES)('the role %s may call what stands in the table, and nothing else', async (role) => {
  const wrong: string[] = [];
  for (const route of routes()) {
    // A session that is ended is of no use for the rest.
    if (route.startsWith('POST /api/auth/logout')) continue;
    const may = MAY[route] ?? [];
    const { status, text } = await callAs(role, route);
    const isRefused = status === 403 && text.includes('may not do this');
    const isRight = may === ANYBODY || may.includes(role) ? !isRefused && status !== 401 : isRefused;
    if (!isRight && may !== ANYBODY) wrong.push(`${route}: ${status} ${text.slice(0, 100)}`);
  }
  expect(wrong).toEqual([]);
});

test('who is not signed in may call what is for anybody, and nothing else', async () => {
  const wrong: string[] = [];
  for (const route of routes()) {
    if (MAY[route] === ANYBODY) continue;
    const { status } = await callAs('nobody', route);
    if (status !== 401) wrong.push(`${route}: ${status}`);
  }
  expect(wrong).toEqual([]);
});

/** Each has the time of one test. */
const PARTS = 6;
test.each(Array.from({ length: PARTS }, (_, index) => index + 1))(
  `no parameter of any route makes an error of ours, whatever it is given: part %i of ${PARTS}`,
  async (part) => {
    const { url, app } = pair.billing;
    const cookie = people.get('owner')?.cookie ?? '';
    const answer = await fetch(`${url}/api/openapi.json`, { headers: { cookie } });
    const requests = badRequests(listRoutes(app), (await answer.json()) as ApiDocument);
    expect(requests.length).toBeGreaterThan(1_500);
    const own = requests.filter((_, index) => index % PARTS === part - 1);
    expect(await findServerErrors(url, own, { cookie })).toEqual([]);
    const { status } = await fetch(`${url}/api/keys`, { headers: { cookie } });
    // Were the session gone, nothing of all this would have been asked.
    expect(status).toBe(200);
  },
  120_000,
);
