import { sectionsFor } from './navigation.ts';

const pathsFor = (...[role, exists = () => true]: Partial<Parameters<typeof sectionsFor>>) =>
  sectionsFor(role ?? null, exists).flatMap(({ places }) => places.map(({ to }) => to));

test('who is not signed in sees the models only', () => {
  expect(pathsFor(null)).toEqual(['/models']);
});

test('a member sees no page of the operators', () => {
  expect(pathsFor('member')).toEqual([
    '/home',
    '/keys',
    '/usage',
    '/models',
    '/playground',
    '/statements',
    '/settings',
  ]);
});

test('finance sees the books but not what routes requests', () => {
  const paths = pathsFor('finance');
  expect(paths).toEqual(
    expect.arrayContaining(['/margins', '/exports', '/reconciliation', '/redemption-codes']),
  );
  expect(paths).not.toContain('/upstreams');
  // Nor where requests are sent: it has no key to send them with.
  expect(paths).not.toContain('/playground');
});

test('owners and admins see everything that finance and members see', () => {
  expect(pathsFor('owner')).toEqual(pathsFor('admin'));
  expect(pathsFor('owner')).toEqual(expect.arrayContaining([...pathsFor('finance'), ...pathsFor('member')]));
});

test('a place without a route is not shown, nor a section without places', () => {
  expect(sectionsFor('owner', (path) => path === '/keys')).toMatchObject([
    { name: 'build', places: [{ to: '/keys' }] },
  ]);
});
