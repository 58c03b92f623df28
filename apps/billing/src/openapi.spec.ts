import type { z } from 'zod';
import { type RunningBilling, startBillingOn } from '../testing/billing-service.ts';
import { type Ground, startGround } from '../testing/ground.ts';
import { loginBody } from './auth/auth.controller.ts';
import { changeKeyBody, createKeyBody } from './keys/key-bodies.ts';

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

let ground: Ground;
let billing: RunningBilling;
beforeAll(async () => {
  ground = await startGround();
  billing = await startBillingOn(ground);
});
afterAll(async () => {
  await billing.stop();
  await ground.stop();
});

const paths = async () => {
  const answer = await fetch(`${billing.url}/api/openapi.json`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { paths: Record<string, Record<string, Operation>> }).paths;
};

test('the document lists every route', async () => {
  const routes = Object.entries(await paths()).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'DELETE /api/keys/{id}',
    'GET /api/auth/session',
    'GET /api/keys',
    'GET /api/ledger/balance',
    'GET /api/usage',
    'PATCH /api/keys/{id}',
    'POST /api/auth/login',
    'POST /api/auth/logout',
    'POST /api/keys',
  ]);
});

test.each<[string, string, z.ZodType]>([
  ['post', '/api/auth/login', loginBody],
  ['post', '/api/keys', createKeyBody],
  ['patch', '/api/keys/{id}', changeKeyBody],
])('the body of %s %s has an example, which that route accepts', async (method, path, schema) => {
  const operation = (await paths())[path]?.[method];
  const example = operation?.requestBody?.content['application/json']?.schema.example;
  expect(example).toBeDefined();
  expect(schema.safeParse(example)).toMatchObject({ success: true });
});

test('no query parameter is required, and the filters are all described', async () => {
  const queries = (await paths())['/api/usage']?.['get']?.parameters ?? [];
  expect(queries.map(({ name }) => name).sort()).toEqual([
    'account_id',
    'cursor',
    'from',
    'key_id',
    'limit',
    'model',
    'to',
  ]);
  const required = Object.values(await paths())
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters = [] }) => parameters)
    .filter((parameter) => parameter.required === true && parameter.in !== 'path');
  expect(required).toEqual([]);
});
