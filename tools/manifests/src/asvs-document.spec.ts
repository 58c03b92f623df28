import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const asvs = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');

const files: readonly string[] = ['apps', 'libs', 'tools'].flatMap((kind) =>
  readdirSync(join(ROOT, kind)).flatMap((name) => {
    const project = join(ROOT, kind, name);
    return readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(project, 'src', file),
    );
  }),
);

/** The tests that a row names: a file, then words in quotes that stand in it. */
const named = asvs.split('\n').flatMap((line) =>
  [...line.matchAll(/`([\w./-]+\.ts)`((?:,? "[^"]+")*)/g)].map(([, file = '', words = '']) => ({
    file,
    words: [...words.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text),
  })),
);
const flat = (text: string): string => text.replace(/\s+(?:\/\/\s*)?/g, ' ').replaceAll("\\'", "'");

test('the tables of ASVS name tests', () => {
  expect(named.length).toBeGreaterThan(60);
  for (let chapter = 1; chapter <= 17; chapter += 1)
    expect(asvs).toMatch(new RegExp(`^\\| V${chapter}[. ]`, 'm'));
});

test.each([...new Set(named.map(({ file }) => file))])(
  '%s is there, with the words that are named',
  (file) => {
    const found = files.filter((path) => path.endsWith(`/${file}`));
    expect(found.length).toBeGreaterThan(0);
    const text = found.map((path) => flat(readFileSync(path, 'utf8'))).join('\n');
    for (const { words } of named.filter((each) => each.file === file))
      for (const each of words) expect(text).toContain(each);
  },
);
