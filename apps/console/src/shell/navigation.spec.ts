import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Role } from '@tollgate/vocabulary';
import type { Page, PublicPage } from '../app/page.ts';
import { sectionsFor } from './navigation.ts';

const sources = dirname(import.meta.dirname);
const configs = globSync('pages/*/page.config.ts', { cwd: sources }).toSorted();
const pages: (Page | PublicPage)[] = [];
for (const file of configs) {
  const { page } = (await import(join(sources, file))) as { page: Page | PublicPage };
  pages.push(page);
}

const sectionOf = (role: Role | null, name: string) =>
  sectionsFor(role, pages)
    .filter((section) => section.name === name)
    .flatMap(({ places }) => places.map(({ path }) => path));

test('who is not signed in sees the models only', () => {
  expect(sectionsFor(null, pages).map(({ name }) => name)).toEqual(['build']);
  expect(sectionOf(null, 'build')).toEqual(['/models']);
});

const BUILD = ['/home', '/keys', '/models', '/playground', '/settings', '/statements', '/usage'];
const RUN = [
  '/accounts',
  '/audit-log',
  '/catalogue',
  '/limits',
  '/overview',
  '/system',
  '/upstreams',
  '/users',
];
const BOOKS = ['/exports', '/ledger', '/margins', '/periods', '/reconciliation', '/redemption-codes'];

test.each<[Role, string[], string[], string[]]>([
  ['member', BUILD, [], []],
  // It has no key to try models with.
  ['finance', BUILD.filter((path) => path !== '/playground'), ['/accounts', '/audit-log'], BOOKS],
  ['admin', BUILD, RUN, ['/discounts', ...BOOKS]],
  ['owner', BUILD, RUN, ['/discounts', ...BOOKS]],
])('%s sees what the services allow', (role, build, run, money) => {
  expect([sectionOf(role, 'build'), sectionOf(role, 'run'), sectionOf(role, 'money')]).toEqual([
    build,
    run,
    money,
  ]);
});

test('places stand in the order of the pages', () => {
  const places = sectionsFor('owner', pages.toReversed()).flatMap((section) => section.places);
  expect(places.map(({ path }) => path)).toEqual(
    [BUILD, RUN, ['/discounts', ...BOOKS]].flatMap((each) => each.toReversed()),
  );
});

test.each(['en', 'zh-CN'])('every page of the navigation has its name in %s', (language) => {
  const file = join(sources, 'locales', language, 'common.json');
  const { places } = JSON.parse(readFileSync(file, 'utf8')) as { places: Record<string, string> };
  const words = sectionsFor('owner', pages).flatMap((section) => section.places.map((place) => place.words));
  expect(Object.keys(places).toSorted()).toEqual(words.toSorted());
});

test('every page of the navigation has its icon in its folder', () => {
  const places = sectionsFor('owner', pages).flatMap((section) => section.places);
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter(({ words }) => !existsSync(join(sources, 'pages', words, 'icon.ts')))).toEqual([]);
});
