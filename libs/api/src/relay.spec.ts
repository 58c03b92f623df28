import { RELAY_ROUTES } from './relay.ts';
import { describeRelay } from './relay-openapi.ts';
import { listOperations, SERVICES } from './services.ts';

const routes = Object.entries(RELAY_ROUTES);

test('no two routes have one method and path, and no operation has the name of another', () => {
  const places = routes.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(places).size).toBe(places.length);
  const others = Object.values(SERVICES).flatMap(({ resources }) => listOperations(resources));
  const names = new Set(others.map(([name]) => name));
  expect(routes.map(([name]) => name).filter((name) => names.has(name))).toEqual([]);
});

describe.each(routes)('%s', (_name, { summary, path, params, body }) => {
  test('says in a line what it does', () => {
    expect(summary).toMatch(/^[A-Z][^\n]{3,79}[^.]$/);
  });

  test('names every parameter of its path', () => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(named);
  });

  test('shows a body that it takes', () => {
    if (!body) return;
    const { examples = [] } = body.meta() ?? {};
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples as unknown[]) expect(body.parse(example)).toEqual(example);
  });
});

test('an error that the relay does not have cannot be told of', () => {
  expect(() => describeRelay({})).toThrow('The relay has no error "invalid_request"');
});
