import { describeApi, listErrors } from './openapi.ts';
import { isFileAnswer, PUBLIC, type Resource, type Route } from './route.ts';
import { SERVICES } from './services.ts';

const ROUTES: [string, Route][] = Object.values(SERVICES).flatMap(({ resources }) =>
  Object.values<Resource>(resources).flatMap((resource) => Object.entries(resource)),
);

test('no two operations have one name, or one method and path', () => {
  const names = ROUTES.map(([name]) => name);
  const places = ROUTES.map(([, { method, path }]) => `${method} ${path}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
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

  test('tells what its caller may be refused for', () => {
    const errors = Object.keys(listErrors(route));
    if (route.permission !== PUBLIC || body || query) expect(errors.length).toBeGreaterThan(0);
  });

  test('answers with a described body, a file or nothing', () => {
    if (answer === undefined) expect([204, 302]).toContain(route.status ?? 204);
    else if (isFileAnswer(answer))
      for (const type of [answer.contentType].flat()) expect(type).toMatch(/^\w+\/[\w.-]+/);
    else expect(answer.safeParse(undefined).success).toBe(false);
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

test.each(Object.values(SERVICES))('$title has a document', ({ title, description, resources }) => {
  const document = describeApi({ title, description }, resources);
  expect(document.openapi).toBe('3.1.0');
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.keys(path));
  expect(operations).toHaveLength(
    Object.values<Resource>(resources).reduce((sum, each) => sum + Object.keys(each).length, 0),
  );
});
