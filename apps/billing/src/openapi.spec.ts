import { listRoutes } from '@tollgate/platform';
import type { z } from 'zod';
import { type RunningBilling, startBillingOn } from '../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { signIn } from '../testing/people.ts';
import { rerateBody } from './rerate/rerate-body.ts';

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

let environment: TestEnvironment;
let billing: RunningBilling;
let owner: string;
beforeAll(async () => {
  environment = await startTestEnvironment();
  billing = await startBillingOn(environment);
  owner = await signIn(billing.url, environment.first.email);
});
afterAll(async () => {
  await billing.stop();
  await environment.stop();
});

const paths = async (cookie = owner) => {
  const answer = await fetch(`${billing.url}/api/openapi.json`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return ((await answer.json()) as { paths: Record<string, Record<string, Operation>> }).paths;
};

test.each(['', 'tollgate_session=made-up.signature'])(
  'who is not signed in (%j) is told of the routes that are for anybody only',
  async (cookie) => {
    const open = Object.entries(await paths(cookie)).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const forAnybody = listRoutes(billing.app)
      .filter(({ access }) => access === 'anybody')
      .map(({ method, path }) => `${method} ${path}`);
    expect(open.toSorted()).toEqual(forAnybody.toSorted());
    expect(open).toContain('POST /api/auth/login');
    expect(open).not.toContain('GET /api/keys');
  },
);

test('the document lists every route', async () => {
  const routes = Object.entries(await paths()).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'DELETE /api/accounts/{id}/invites/{invite}',
    'DELETE /api/accounts/{id}/users/{user}',
    'DELETE /api/accounts/{id}/users/{user}/factors',
    'DELETE /api/auth/factors/passkeys/{passkey}',
    'DELETE /api/auth/factors/totp',
    'DELETE /api/auth/sessions',
    'DELETE /api/auth/sessions/{session}',
    'DELETE /api/exports/schedules/{id}',
    'DELETE /api/exports/{id}',
    'DELETE /api/keys/{id}',
    'GET /api/accounts',
    'GET /api/accounts/{id}',
    'GET /api/accounts/{id}/invites',
    'GET /api/accounts/{id}/users',
    'GET /api/audit-log',
    'GET /api/auth/factors',
    'GET /api/auth/oidc',
    'GET /api/auth/oidc/callback',
    'GET /api/auth/passkey',
    'GET /api/auth/profile',
    'GET /api/auth/reauthentication',
    'GET /api/auth/second-factor',
    'GET /api/auth/session',
    'GET /api/auth/sessions',
    'GET /api/exports',
    'GET /api/exports/schedules',
    'GET /api/exports/{id}',
    'GET /api/exports/{id}/file',
    'GET /api/exports/{id}/manifest',
    'GET /api/finance/margins',
    'GET /api/finance/reconciliations',
    'GET /api/finance/reconciliations/{id}',
    'GET /api/finance/usage-reviews',
    'GET /api/keys',
    'GET /api/ledger/balance',
    'GET /api/ledger/transactions',
    'GET /api/ledger/transactions/{number}',
    'GET /api/periods',
    'GET /api/periods/{account}/{month}',
    'GET /api/redemption/batches',
    'GET /api/redemption/batches/{id}/codes',
    'GET /api/setup',
    'GET /api/statements',
    'GET /api/statements/{month}',
    'GET /api/statements/{month}/keys',
    'GET /api/system',
    'GET /api/usage',
    'GET /api/usage.csv',
    'GET /api/usage/partitions',
    'GET /api/usage/rejected',
    'GET /api/usage/summary',
    'PATCH /api/accounts/{id}',
    'PATCH /api/accounts/{id}/users/{user}',
    'PATCH /api/auth/factors/passkeys/{passkey}',
    'PATCH /api/auth/profile',
    'PATCH /api/exports/schedules/{id}',
    'PATCH /api/keys/{id}',
    'POST /api/accounts',
    'POST /api/accounts/{id}/invites',
    'POST /api/accounts/{id}/users',
    'POST /api/accounts/{id}/users/{user}/password-link',
    'POST /api/auth/factors/passkeys',
    'POST /api/auth/factors/passkeys/options',
    'POST /api/auth/factors/recovery-codes',
    'POST /api/auth/factors/totp',
    'POST /api/auth/factors/totp/confirm',
    'POST /api/auth/login',
    'POST /api/auth/logout',
    'POST /api/auth/oidc/start',
    'POST /api/auth/passkey',
    'POST /api/auth/passkey/options',
    'POST /api/auth/reauthentication',
    'POST /api/auth/reauthentication/passkey',
    'POST /api/auth/reauthentication/passkey/options',
    'POST /api/auth/second-factor',
    'POST /api/auth/second-factor/passkey',
    'POST /api/auth/second-factor/passkey/options',
    'POST /api/exports',
    'POST /api/exports/schedules',
    'POST /api/finance/reconciliations',
    'POST /api/finance/rerates',
    'POST /api/finance/usage-reviews/{request_id}/accept',
    'POST /api/finance/usage-reviews/{request_id}/dismiss',
    'POST /api/keys',
    'POST /api/keys/import',
    'POST /api/keys/{id}/rotate',
    'POST /api/ledger/adjustments',
    'POST /api/ledger/audits',
    'POST /api/ledger/corrections',
    'POST /api/ledger/grants',
    'POST /api/ledger/payments',
    'POST /api/ledger/payouts',
    'POST /api/ledger/refunds',
    'POST /api/ledger/write-offs',
    'POST /api/links/look',
    'POST /api/links/use',
    'POST /api/periods/close',
    'POST /api/periods/verify',
    'POST /api/redemption/batches',
    'POST /api/redemption/batches/{id}/revoke',
    'POST /api/redemption/redeem',
    'POST /api/setup',
    'POST /api/usage/partitions/{month}/detach',
    'POST /api/usage/rejected/{id}/retry',
    'PUT /api/accounts/{id}/users/{user}/password',
    'PUT /api/auth/password',
  ]);
});

test.each<[string, string, z.ZodType]>([['post', '/api/finance/rerates', rerateBody]])(
  'the body of %s %s has an example, which that route accepts',
  async (method, path, schema) => {
    const operation = (await paths())[path]?.[method];
    const example = operation?.requestBody?.content['application/json']?.schema.example;
    expect(example).toBeDefined();
    expect(schema.safeParse(example)).toMatchObject({ success: true });
  },
);

test('no query parameter is required, and the filters are all described', async () => {
  const queries = (await paths())['/api/usage']?.['get']?.parameters ?? [];
  expect(queries.map(({ name }) => name).sort()).toEqual([
    'account_id',
    'cursor',
    'from',
    'key_id',
    'limit',
    'model',
    'request_id',
    'to',
  ]);
  const required = Object.values(await paths())
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.required === true && parameter.in === 'query');
  expect(required).toEqual([]);
});

test('whatever people enter in the ledger asks for an Idempotency-Key', async () => {
  const documented = await paths();
  const entering = ['payments', 'grants', 'payouts', 'refunds', 'corrections', 'adjustments', 'write-offs'];
  for (const path of [...entering.map((each) => `/api/ledger/${each}`), '/api/redemption/batches']) {
    const parameters = documented[path]?.['post']?.parameters ?? [];
    expect(parameters).toMatchObject([{ in: 'header', name: 'Idempotency-Key', required: true }]);
  }
});
