import { listRoutes } from '@tollgate/platform';
import { type RunningBilling, startBillingOn } from '../testing/billing-service.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { signIn } from '../testing/people.ts';

interface Operation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
  }[];
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

test('whoever is signed in is told of every route', async () => {
  const described = Object.entries(await paths()).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = listRoutes(billing.app).map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.toSorted()).toEqual(served.toSorted());
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
