import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Script that a page may need before it shows, in bytes of gzip. */
const MOST = 200_000;

const dist = join(import.meta.dirname, '..', '..', '..', 'console', 'dist');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
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

const PAGE = /^src\/pages\/[\w-]+\/[A-Z]\w*\.tsx$/;
const pages = chunk('index.html').dynamicImports?.filter((name) => PAGE.test(name)) ?? [];
/** What every page needs, and one language of its words. */
const FRAME = ['index.html', 'src/shell/Shell.tsx', 'src/locales/en/common.json'];
const wordsOf = (page: string) => `src/locales/en/${page.split('/')[2]}.json`;

test('the pages are found in the manifest', () => {
  expect(pages).toEqual(expect.arrayContaining(['src/pages/keys/Keys.tsx', 'src/pages/usage/Usage.tsx']));
});

test.each(pages)('the first view of %s needs less than 200 KB of script', (page) => {
  const needed = withImports([...FRAME, page, wordsOf(page)]);
  const sizes = [...needed].map((name) => ({ name, size: sizeOf(name) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const largest = sizes.sort((a, b) => b.size - a.size).slice(0, 8);
  expect({ total: total < MOST ? 'small enough' : total, largest }).toEqual({
    total: 'small enough',
    largest,
  });
});
