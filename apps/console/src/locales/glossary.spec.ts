import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW =
  /^\| (?<term>\S[^|]*?) +\| (?<chinese>\S[^|]*?) +\| (?<elsewhere>\S[^|]*?) +\| (?<reason>\S[^|]*?) +\|$/;

const rows = readFileSync(join(import.meta.dirname, '../../../../docs/glossary.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = ROW.exec(line)?.groups;
    return cells ? [cells] : [];
  })
  .filter(({ term }) => term !== 'term' && !term?.startsWith('---'));

const saidIn = (language: string): string =>
  readdirSync(join(import.meta.dirname, language))
    .map((name) => readFileSync(join(import.meta.dirname, language, name), 'utf8'))
    .join('\n');

test('the glossary has its terms, each once', () => {
  const terms = rows.map(({ term }) => term);
  expect(terms.length).toBeGreaterThan(90);
  expect(new Set(terms).size).toBe(terms.length);
});

type Words = { readonly [key: string]: string | Words };

/** Where the names stand of what people talk about: each is a term. */
const NAMES: readonly (readonly [file: string, key: string])[] = [
  ['common', 'places'],
  ['common', 'roles'],
  ['finance', 'kinds'],
  ['keys', 'status'],
  ['upstreams', 'status'],
  ['upstreams', 'strategies'],
  ['usage', 'outcomes'],
];

const namesIn = (language: string): string[] =>
  NAMES.flatMap(([file, key]) => {
    const words = JSON.parse(
      readFileSync(join(import.meta.dirname, language, `${file}.json`), 'utf8'),
    ) as Words;
    return Object.values(words[key] as Words).map(String);
  });

test('every page, role, kind and status is a term of the glossary, in both languages', () => {
  const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '').toLowerCase();
  const terms = new Map(rows.map(({ term = '', chinese }) => [singular(term), chinese]));
  const chinese = namesIn('zh-CN');
  expect(chinese.length).toBeGreaterThan(50);
  const inGlossary = namesIn('en').map((name) => [name, terms.get(singular(name))]);
  expect(inGlossary).toEqual(namesIn('en').map((name, index) => [name, chinese[index]]));
});

test.each(rows.map(({ term = '', chinese = '' }) => [term, chinese]))(
  'the console says %s, and %s',
  (term, chinese) => {
    expect(saidIn('en').toLowerCase()).toContain(term.toLowerCase());
    expect(saidIn('zh-CN')).toContain(chinese);
  },
);
