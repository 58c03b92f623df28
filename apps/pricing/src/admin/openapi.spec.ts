import { type AdminApi, startAdminApi } from '../../testing/admin-api.ts';
import { draftBody, restoreBody, scheduleBody } from '../drafts/draft-bodies.ts';
import { testBody } from '../upstream-health/upstream-test.controller.ts';
import {
  discountsBody,
  groupBody,
  limitsBody,
  modelBody,
  poolBody,
  upstreamBody,
  vendorBody,
} from './schemas.ts';

interface Operation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly example?: unknown } }>;
  };
}

let api: AdminApi;
beforeAll(async () => {
  api = await startAdminApi();
});
afterAll(() => api.stop());

const paths = async (cookie = api.owner) => {
  const answer = await fetch(`${api.pricing.url}/api/catalogue/openapi.json`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { paths: Record<string, Record<string, Operation>> }).paths;
};

test.each(['', 'tollgate_session=made-up.signature'])(
  'who is not signed in (%j) is told of the public prices only',
  async (cookie) => {
    expect(Object.keys(await paths(cookie)).toSorted()).toEqual(['/api/pricing', '/api/pricing/history']);
  },
);

test('the document lists every route', async () => {
  const routes = Object.entries(await paths()).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'DELETE /api/catalogue/discounts/{account_id}',
    'DELETE /api/catalogue/drafts/{name}',
    'DELETE /api/catalogue/drafts/{name}/schedule',
    'DELETE /api/catalogue/{section}/{name}',
    'GET /api/catalogue',
    'GET /api/catalogue/drafts',
    'GET /api/catalogue/drafts/{name}',
    'GET /api/catalogue/health',
    'GET /api/catalogue/versions',
    'GET /api/catalogue/versions/at',
    'GET /api/catalogue/versions/{a}/diff/{b}',
    'GET /api/catalogue/versions/{version}',
    'GET /api/pricing',
    'GET /api/pricing/history',
    'POST /api/catalogue/drafts/{name}/publish',
    'POST /api/catalogue/drafts/{name}/restore',
    'POST /api/catalogue/reseal',
    'POST /api/catalogue/upstreams/{name}/credentials/{credential}/enable',
    'POST /api/catalogue/upstreams/{name}/test',
    'PUT /api/catalogue/auto-groups',
    'PUT /api/catalogue/discounts/{account_id}',
    'PUT /api/catalogue/drafts/{name}',
    'PUT /api/catalogue/drafts/{name}/schedule',
    'PUT /api/catalogue/groups/{name}',
    'PUT /api/catalogue/limits',
    'PUT /api/catalogue/models/{name}',
    'PUT /api/catalogue/pools/{name}',
    'PUT /api/catalogue/upstreams/{name}',
    'PUT /api/catalogue/vendors/{name}',
  ]);
});

test('only what stands in the path, and the model of a price history, is required of a request without a body', async () => {
  const required = Object.values(await paths())
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.required === true && parameter.in !== 'path');
  expect(required).toMatchObject([{ in: 'query', name: 'model' }]);
});

test.each([
  ['drafts/{name}/restore', restoreBody],
  ['upstreams/{name}/test', testBody],
])('the body of POST %s has an example, which that route accepts', async (path, schema) => {
  const post = (await paths())[`/api/catalogue/${path}`]?.['post'];
  const example = post?.requestBody?.content['application/json']?.schema.example;
  expect(example).toBeDefined();
  expect(schema.safeParse(example)).toMatchObject({ success: true });
});

test.each([
  ['vendors/{name}', vendorBody],
  ['models/{name}', modelBody],
  ['groups/{name}', groupBody],
  ['pools/{name}', poolBody],
  ['upstreams/{name}', upstreamBody],
  ['limits', limitsBody],
  ['discounts/{account_id}', discountsBody],
  ['drafts/{name}', draftBody],
  ['drafts/{name}/schedule', scheduleBody],
])('the body of PUT %s has an example, which that route accepts', async (path, schema) => {
  const put = (await paths())[`/api/catalogue/${path}`]?.['put'];
  const example = put?.requestBody?.content['application/json']?.schema.example;
  expect(example).toBeDefined();
  expect(schema.safeParse(example)).toMatchObject({ success: true });
});
