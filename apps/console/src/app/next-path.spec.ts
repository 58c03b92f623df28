import fc from 'fast-check';
import { nextPath } from './next-path.ts';

test.each([
  ['/keys', '/keys'],
  ['/usage?model=sim-chat&from=2026-11-01#top', '/usage?model=sim-chat&from=2026-11-01#top'],
  ['/', '/'],
  ['//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['/\t/evil.example', undefined],
  ['/..//evil.example', undefined],
  ['/.//evil.example', undefined],
  ['/a/..//evil.example', undefined],
  ['/%2e%2e//evil.example', undefined],
  ['https://evil.example/keys', undefined],
  ['javascript:alert(1)', undefined],
  ['keys', undefined],
  ['/sign-in?next=/sign-in', undefined],
  ['', undefined],
  [7, undefined],
  [undefined, undefined],
])('after signing in, %j leads to %j', (candidate, path) => {
  expect(nextPath(candidate)).toBe(path);
});

test('nothing leads to another site', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string().map((text) => `/${text}`),
        fc
          .array(fc.constantFrom('/', '\\', '.', '..', '%2e', 'evil.example', 'a'))
          .map((parts) => `/${parts.join('')}`),
      ),
      (candidate) => {
        const path = nextPath(candidate);
        expect(new URL(path ?? '/', 'https://relay.example').host).toBe('relay.example');
        expect(path ?? '/').not.toMatch(/^\/[/\\]/);
      },
    ),
  );
});
