import { catalogueEntries, listOperations, PUBLIC, type Route, SERVICES, versions } from '@tollgate/api';
import {
  EVENT,
  REAUTHENTICATION_REQUIRED,
  upstreamTestRedisKey,
  upstreamTestSchema,
} from '@tollgate/contracts';
import { type ApiDocument, badRequests, findServerErrors, waitFor } from '@tollgate/harness';
import { listRoutes, onEvent, subscribeEvents } from '@tollgate/platform';
import { isAllowed, ROLES } from '@tollgate/vocabulary';
import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { openRedis, silent, startPricingOn } from '../../testing/pricing-service.ts';
import { ACTIONS } from '../audit-notes/noted-changes.interceptor.ts';

// Every route of the contract is called in every role, with names of nothing: a new one is in it by itself.

const ROUTES: readonly Route[] = listOperations(SERVICES.pricing.resources).map(([, route]) => route);
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi();
});
afterAll(() => api.stop());

async function send(cookie: string | undefined, { method, path, body }: Route): Promise<Response> {
  return fetch(`${api.pricing.url}${path.replace(/:\w+/g, 'nothing')}`, {
    method,
    headers: { ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: '{}' }),
  });
}

async function callWith(cookie: string | undefined, route: Route): Promise<number> {
  const answer = await send(cookie, route);
  await answer.arrayBuffer();
  return answer.status;
}

test('what is served is what the contract describes', () => {
  const served = listRoutes(api.pricing.app).map(({ method, path }) => `${method} ${path}`);
  expect(served.toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
});

test('of all routes only the public prices are for anybody', async () => {
  const open: string[] = [];
  for (const route of ROUTES) if ((await callWith(undefined, route)) !== 401) open.push(nameOf(route));
  expect(open.toSorted()).toEqual(['GET /api/pricing', 'GET /api/pricing/history']);
});

test('the API document tells whoever is not signed in of the public prices alone, also where that cannot be asked', async () => {
  const pathsAt = async (url: string, cookie?: string) => {
    const answer = await fetch(`${url}/api/catalogue/openapi.json`, {
      headers: { ...(cookie && { cookie }) },
    });
    expect(answer.status).toBe(200);
    return Object.keys(((await answer.json()) as ApiDocument).paths).toSorted();
  };
  const open = ['/api/pricing', '/api/pricing/history'];
  expect(await pathsAt(api.pricing.url)).toEqual(open);
  expect(await pathsAt(api.pricing.url, 'tollgate_session=made-up')).toEqual(open);
  expect((await pathsAt(api.pricing.url, api.owner)).length).toBeGreaterThan(open.length);
  const alone = await startPricingOn(api.environment);
  expect(await pathsAt(alone.url, api.owner)).toEqual(open);
  await alone.stop();
});

test.each(ROLES)('the role %s may call what its permissions say, and nothing else', async (role) => {
  const cookie = await api.billing.signIn(role);
  const wrong: string[] = [];
  for (const route of ROUTES) {
    const { permission } = route;
    const status = await callWith(cookie, route);
    const isRight =
      permission === PUBLIC || isAllowed(role, permission)
        ? status !== 401 && status !== 403
        : status === 403;
    if (!isRight) wrong.push(`${nameOf(route)}: ${status}`);
  }
  expect(wrong).toEqual([]);
});

test('the catalogue is for operators only', () => {
  const permissions = new Set(ROUTES.map(({ permission }) => permission));
  expect(permissions).toEqual(new Set([PUBLIC, 'catalogue:write']));
  expect(ROLES.filter((role) => isAllowed(role, 'catalogue:write'))).toEqual(['owner', 'admin']);
});

test('the audit log has a name for what each route does that changes something', () => {
  const changing = ROUTES.filter(({ method }) => method !== 'GET').map(nameOf);
  expect(changing.toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
});

test('what is done here, and what somebody may not do, is in the audit log of billing', async () => {
  const cookie = await api.billing.signIn('finance');
  expect(await callWith(cookie, catalogueEntries.showCatalogue)).toBe(403);
  expect(await callWith(cookie, catalogueEntries.showCatalogue)).toBe(403);
  const body = { reason: 'to be looked at', changes: [] };
  expect((await api.call('PUT', '/drafts/audited', body)).status).toBe(200);
  expect((await api.call('PUT', '/drafts/audited', { reason: '' })).status).toBe(400);
  const entries = () =>
    api.environment.database.query<Record<string, unknown>[]>(
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
      after: { status: 403, code: 'permission_denied' },
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
  // Some are for a gateway: this one says at once that it tried.
  const redis = await openRedis(api.environment.redisServer.url);
  const result = { gateway: 'one', ok: false, status: null, latency_ms: 0, error: 'It does not answer.' };
  const events = subscribeEvents(api.environment.redisServer.url, silent, {
    [EVENT.upstreamTest]: onEvent(upstreamTestSchema, async ({ id }) => {
      await redis.set(upstreamTestRedisKey(id), JSON.stringify(result));
    }),
  });
  await waitFor(() => events.fresh(), 'the subscription');
  expect(await findServerErrors(url, requests, headers)).toEqual([]);
  events.close();
  redis.disconnect();
  expect(await callWith(api.owner, versions.listVersions)).toBe(200);
}, 120_000);

test('what is dangerous, and that alone, is refused to an owner whose proof is of a while ago', async () => {
  const wantsProof = async (cookie: string) => {
    const wanting: string[] = [];
    for (const route of ROUTES) {
      const answer = await send(cookie, route);
      const text = await answer.text();
      if (answer.status === 403 && text.includes(`"${REAUTHENTICATION_REQUIRED}"`))
        wanting.push(nameOf(route));
    }
    return wanting.toSorted();
  };
  const proved = (minutes: number) =>
    api.environment.database.query(
      `UPDATE billing.session SET data = jsonb_set(data, '{authenticatedAt}',
         to_jsonb((extract(epoch FROM now()) * 1000)::bigint - $1::int * 60000))`,
      [minutes],
    );
  const cookie = await api.billing.signIn('owner');
  await proved(14);
  expect(await wantsProof(cookie)).toEqual([]);
  await proved(16);
  expect(await wantsProof(cookie)).toEqual([
    'POST /api/catalogue/drafts/:name/publish',
    'POST /api/catalogue/providers',
    'POST /api/catalogue/providers/models',
    'POST /api/catalogue/providers/test',
    'POST /api/catalogue/reseal',
    'POST /api/catalogue/upstreams/:name/try',
    'PUT /api/catalogue/drafts/:name/schedule',
    'PUT /api/catalogue/upstreams/:name',
  ]);
});
