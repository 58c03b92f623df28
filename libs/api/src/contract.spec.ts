import { PERMISSIONS } from '@tollgate/vocabulary';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { describeApi } from './openapi.ts';
import { isFileAnswer, PUBLIC } from './route.ts';
import { listOperations, SERVICES } from './services.ts';

const ROUTES = Object.values(SERVICES).flatMap(({ resources }) => listOperations(resources));

test('no two operations have one name, or one method and path', () => {
  const names = ROUTES.map(([name]) => name);
  const places = ROUTES.map(([, { method, path }]) => `${method} ${path}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
});

test('every permission is needed by a route, so that the tests of each role see who has it', () => {
  const needed = new Set<string | undefined>(
    ROUTES.flatMap(([, { permission, account, ofOthers }]) => [permission, account?.others, ofOthers]),
  );
  expect(Object.keys(PERMISSIONS).filter((permission) => !needed.has(permission))).toEqual([]);
});

/** A history is of a model. */
const NEEDS_A_PARAMETER: ReadonlySet<string> = new Set(['showPriceHistory']);

describe.each(ROUTES)('%s', (name, route) => {
  const { path, params, query, body, answer } = route;

  test('says in a line what it does', () => {
    expect(route.summary).toMatch(/^[A-Z][^\n]{3,79}[^.]$/);
  });

  test('names every parameter of its path', () => {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {}).toSorted()).toEqual(named.toSorted());
  });

  test('names a permission that there is, or is public', () => {
    expect([PUBLIC, ...Object.keys(PERMISSIONS)]).toContain(route.permission);
  });

  test('answers with a described body, a file or, as its status says, nothing', () => {
    if (answer === undefined) expect([204, 302]).toContain(route.status);
    else if (!isFileAnswer(answer)) expect(answer.safeParse(undefined).success).toBe(false);
    else
      for (const type of [answer.contentType].flat()) {
        expect(type).toMatch(/^\w+\/[\w.-]+/);
        if (type.startsWith('application/json')) expect(answer.schema).toBeDefined();
      }
  });

  test('shows a body that it takes', () => {
    if (!body || route.bodyType) return;
    const { examples = [] } = body.meta() ?? {};
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples as unknown[])
      expect(body.safeParse(example)).toMatchObject({ success: true });
  });

  test('needs no query parameter', () => {
    if (query && !NEEDS_A_PARAMETER.has(name)) expect(query.safeParse({}).success).toBe(true);
  });
});

describe.each(Object.values(SERVICES))('the document of $title', ({ title, description, resources }) => {
  const document = describeApi({ title, description }, resources);
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, operation as ZodOpenApiOperationObject] as const,
    ),
  );

  test('is of the version that says null by type, and holds every operation', () => {
    expect(document.openapi).toBe('3.1.0');
    const routes = listOperations(resources).map(
      ([, { method, path }]) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(operations.map(([place]) => place).toSorted()).toEqual(routes.toSorted());
  });

  test.each(operations)(
    '%s tells what it does, who may, what it answers and what it refuses',
    (place, told) => {
      const permission: unknown = Reflect.get(told, 'x-permission');
      const isPublic = permission === PUBLIC;
      expect(told.summary).toMatch(/^[A-Z]/);
      expect([PUBLIC, ...Object.keys(PERMISSIONS)]).toContain(permission);
      expect(told.security).toEqual(isPublic ? [] : [{ session: [] }]);

      const answers = Object.entries(told.responses ?? {}) as [string, ZodOpenApiResponseObject][];
      const successes = answers.filter(([status]) => /^[23]/.test(status));
      expect(successes).not.toEqual([]);
      for (const [status, { content = {} }] of successes) {
        const isEmpty = status === '204' || status === '302';
        expect(Object.keys(content).length > 0).toBe(!isEmpty);
        for (const [type, body] of Object.entries(content))
          if (type.startsWith('application/json')) expect(body?.schema).toBeDefined();
      }

      const refusals = answers.filter(([status]) => status.startsWith('4'));
      const statuses = refusals.map(([status]) => status);
      expect(statuses).toContain('400');
      if (!isPublic) expect(statuses).toEqual(expect.arrayContaining(['401', '403']));
      if (place.includes('{')) expect(statuses).toContain('404');
      for (const [, { description: reason, content }] of refusals) {
        expect(reason).not.toBe('');
        expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/ErrorAnswer' });
      }
    },
  );
});
