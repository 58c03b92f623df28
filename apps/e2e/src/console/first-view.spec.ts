import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Script that a page may need before it shows, in bytes of gzip; browsers are sent Brotli, which is a tenth less. */
const MAX_BYTES = 150_000;

const sources = join(import.meta.dirname, '..', '..', '..', 'console');
const dist = join(sources, 'dist');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const chunks = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as Record<string, Chunk>;

function chunk(name: string): Chunk {
  const found = chunks[name];
  if (!found) throw new Error(`the build of the console has no ${name}`);
  return found;
}

/** Chunks with all that they import before they run. */
function withImports(names: readonly string[]): ReadonlySet<string> {
  const all = new Set<string>();
  const visit = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    chunk(name).imports?.forEach(visit);
  };
  names.forEach(visit);
  return all;
}

const sizeOf = (name: string): number => statSync(join(dist, `${chunk(name).file}.gz`)).size;

/** What routes load. */
const pages = globSync('src/pages/*/route.ts', { cwd: sources }).flatMap((route) =>
  [...readFileSync(join(sources, route), 'utf8').matchAll(/\.lazy\(\(\) => import\('\.\/(\w+\.tsx)'\)/g)].map(
    ([, name = '']) => join(dirname(route), name),
  ),
);
const folderOf = (page: string): string => page.split('/')[2] ?? '';

/** Who is not signed in sees no frame around the page. */
const OUTSIDE = new Set(['sign-in', 'setup', 'invite']);

/** The file of a component with all of ours that run with it. */
function modulesOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(sources, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:import|export|\}) (?!type ).*from '(\.[^']+\.tsx?)';$/gm))
    modulesOf(join(dirname(file), name), found);
  return found;
}

/** The catalogues of words that a page waits for. */
const wordsOf = (page: string): readonly string[] =>
  [...modulesOf(page)]
    .flatMap((file) => [
      ...readFileSync(join(sources, file), 'utf8').matchAll(/useTranslation\((\[[^\]]*\]|'[^']*')/g),
    ])
    .flatMap(([, names = '']) => names.match(/[\w-]+/g) ?? []);

test('the pages and their words are found', () => {
  expect(pages.length).toBeGreaterThanOrEqual(25);
  expect(pages.map(folderOf)).toEqual(expect.arrayContaining([...OUTSIDE, 'home', 'catalogue']));
  expect(wordsOf('src/pages/ledger/Ledger.tsx')).toEqual(expect.arrayContaining(['ledger', 'finance']));
});

test.each(pages)('%s needs no more script than its budget before it shows', (page) => {
  const folder = folderOf(page);
  const frame = OUTSIDE.has(folder) ? [] : ['src/shell/Shell.tsx'];
  const words = ['common', folder, ...wordsOf(page)].map((name) => `src/locales/en/${name}.json`);
  const needed = withImports(['index.html', ...frame, page, ...words]);
  const sizes = [...needed].map((name) => ({ name, size: sizeOf(name) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const largest = sizes.sort((a, b) => b.size - a.size).slice(0, 8);
  expect({ total: total < MAX_BYTES ? 'small enough' : total, largest }).toEqual({
    total: 'small enough',
    largest,
  });
});
