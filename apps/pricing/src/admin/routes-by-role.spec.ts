import { DANGEROUS_ROUTES, REAUTHENTICATION_REQUIRED } from '@tollgate/contracts';
import { type ApiDocument, badRequests, serverErrorsOf, waitFor } from '@tollgate/harness';
import { listRoutes } from '@tollgate/platform';
import { ROLES } from '@tollgate/vocabulary';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { ACTIONS } from '../audit-notes/noted-changes.interceptor.ts';

// Every route of the running service is called in every role, with names of nothing. What is not for anybody is for
// owners and admins: a new route is refused to all others by itself.

const FOR_ANYBODY = ['GET /api/pricing', 'GET /api/pricing/history'];
const OPERATORS = ['owner', 'admin'];

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi();
});
afterAll(() => api.stop());

const routes = () => listRoutes(api.pricing.app).map(({ method, path }) => `${method} ${path}`);

async function send(cookie: string | undefined, route: string): Promise<Response> {
  const [method = '', path = ''] = route.split(' ');
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return fetch(`${api.pricing.url}${path.replace(/:\w+/g, 'nothing')}`, {
    method,
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: '{}' } : {}),
  });
}

async function callWith(cookie: string | undefined, route: string): Promise<number> {
  const answer = await send(cookie, route);
  await answer.arrayBuffer();
  return answer.status;
}

test('of all routes only the public prices are for anybody', async () => {
  const open: string[] = [];
  for (const route of routes()) if ((await callWith(undefined, route)) !== 401) open.push(route);
  expect(open.toSorted()).toEqual(FOR_ANYBODY);
  expect(routes().length).toBeGreaterThan(20);
});

test.each(ROLES)('the role %s may call what the catalogue offers as an operator only', async (role) => {
  const cookie = await api.billing.signIn(role);
  const wrong: string[] = [];
  for (const route of routes()) {
    const isAllowed = OPERATORS.includes(role) || FOR_ANYBODY.includes(route);
    const status = await callWith(cookie, route);
    if (isAllowed ? status === 401 || status === 403 : status !== 403) wrong.push(`${route}: ${status}`);
  }
  expect(wrong).toEqual([]);
});

test('the audit log has a name for what each route does that changes something', () => {
  const changing = routes().filter((route) => !route.startsWith('GET '));
  expect(changing.toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
});

test('what is done here, and what somebody may not do, is in the audit log of billing', async () => {
  const cookie = await api.billing.signIn('finance');
  expect(await callWith(cookie, 'GET /api/catalogue')).toBe(403);
  expect(await callWith(cookie, 'GET /api/catalogue')).toBe(403);
  const body = { reason: 'to be looked at', changes: [] };
  expect((await api.call('PUT', '/drafts/audited', body)).status).toBe(200);
  expect((await api.call('PUT', '/drafts/audited', { reason: '' })).status).toBe(400);
  const entries = () =>
    api.ground.database.query<Record<string, unknown>[]>(
      `SELECT source, actor, role, action, object, reason, after, address, request_id FROM billing.audit_log
       WHERE action = 'draft.write' AND object LIKE '%audited'
         OR object = 'GET /api/catalogue' AND role = 'finance' ORDER BY at`,
    );
  await waitFor(async () => (await entries()).length >= 2, 'the entries');
  const common = { source: 'pricing', address: '127.0.0.1', request_id: expect.stringMatching(/^req_/) };
  expect(await entries()).toEqual([
    {
      ...common,
      actor: expect.stringContaining('finance'),
      role: 'finance',
      action: 'access.refused',
      object: 'GET /api/catalogue',
      reason: 'The role finance may not do this. Ask an owner or admin of this service.',
      after: { status: 403, code: null },
    },
    {
      ...common,
      actor: expect.stringContaining('owner'),
      role: 'owner',
      action: 'draft.write',
      object: '/api/catalogue/drafts/audited',
      reason: null,
      after: null,
    },
  ]);
});

test('no parameter of any route makes an error of ours, whatever it is given', async () => {
  const { url, app } = api.pricing;
  const headers = { cookie: api.owner };
  const answer = await fetch(`${url}/api/catalogue/openapi.json`, { headers });
  const requests = badRequests(listRoutes(app), (await answer.json()) as ApiDocument);
  expect(requests.length).toBeGreaterThan(500);
  expect(await serverErrorsOf(url, requests, headers)).toEqual([]);
  expect(await callWith(api.owner, 'GET /api/catalogue/versions')).toBe(200);
}, 120_000);

test('what is dangerous, and that alone, is refused to an owner whose proof is of a while ago', async () => {
  const dangerous = DANGEROUS_ROUTES.map(({ route }) => route).filter((route) =>
    / \/api\/catalogue\//.test(route),
  );
  const wantsProof = async (cookie: string) => {
    const wanting: string[] = [];
    for (const route of routes()) {
      const answer = await send(cookie, route);
      const text = await answer.text();
      if (answer.status === 403 && text.includes(`"${REAUTHENTICATION_REQUIRED}"`)) wanting.push(route);
    }
    return wanting.toSorted();
  };
  const proved = (minutes: number) =>
    api.ground.database.query(
      `UPDATE billing.session SET data = jsonb_set(data, '{authenticatedAt}',
         to_jsonb((extract(epoch FROM now()) * 1000)::bigint - $1::int * 60000))`,
      [minutes],
    );
  const cookie = await api.billing.signIn('owner');
  await proved(14);
  expect(await wantsProof(cookie)).toEqual([]);
  await proved(16);
  expect(await wantsProof(cookie)).toEqual(dangerous.toSorted());
  expect(dangerous.length).toBeGreaterThan(0);
});
