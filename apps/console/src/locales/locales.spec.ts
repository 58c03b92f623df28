import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CATALOGUE_FAULTS, REFUSAL_CODES, REFUSAL_VALUES } from '@tollgate/vocabulary';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '..');
const LANGUAGES = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const PLURALS = /_(?:zero|one|two|few|many|other)$/;

type Words = { readonly [key: string]: string | Words };

const read = (language: string, name: string): Words =>
  JSON.parse(readFileSync(join(import.meta.dirname, language, name), 'utf8')) as Words;

const leaves = (words: Words, path = ''): [string, string][] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value]] : leaves(value, `${path}${key}.`),
  );

/** Keys without their plural forms, which languages have in different numbers. */
const keysOf = (words: Words): string[] => [
  ...new Set(leaves(words).map(([key]) => key.replace(PLURALS, ''))),
];

/** What is put into a text, sorted. */
const places = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+(?:, (?:number|faults))?)\}\}/g)].map(([, name = '']) => name).sort();

test('English and Simplified Chinese have the same catalogues', () => {
  const [first = [], ...others] = LANGUAGES.map((language) =>
    readdirSync(join(import.meta.dirname, language)).sort(),
  );
  expect(LANGUAGES.sort()).toEqual(['en', 'zh-CN']);
  expect(first.length).toBeGreaterThan(0);
  for (const other of others) expect(other).toEqual(first);
});

const catalogues = readdirSync(join(import.meta.dirname, 'en'));

test.each(catalogues)('%s says the same things in both languages', (name) => {
  const [en, zh] = [read('en', name), read('zh-CN', name)];
  expect(keysOf(zh).sort()).toEqual(keysOf(en).sort());
});

test.each(catalogues)('%s puts the same values into its texts, and leaves none empty', (name) => {
  const english = new Map(
    leaves(read('en', name)).map(([key, text]) => [key.replace(PLURALS, ''), places(text)]),
  );
  for (const [key, text] of leaves(read('zh-CN', name))) {
    expect({ key, is: places(text) }).toEqual({ key, is: english.get(key.replace(PLURALS, '')) });
    expect({ key, isEmpty: text.trim() === '' }).toEqual({ key, isEmpty: false });
  }
});

test('each code of a refusal has words', () => {
  expect(keysOf(read('en', 'refusals.json')).sort()).toEqual([...REFUSAL_CODES].sort());
});

test('each fault of a catalogue has words, which put in the same names', () => {
  const said = read('en', 'faults.json');
  expect(keysOf(said).sort()).toEqual(Object.keys(CATALOGUE_FAULTS).sort());
  for (const [fault, words] of Object.entries(CATALOGUE_FAULTS))
    expect({ fault, names: places(String(said[fault])) }).toEqual({ fault, names: places(words) });
});

test('the words of a code put in what goes with it', () => {
  const said = new Map<string, readonly string[]>(Object.entries(REFUSAL_VALUES));
  for (const [code, text] of leaves(read('en', 'refusals.json'))) {
    const names = places(text).map((name) => name.replace(/, \w+$/, ''));
    expect({ code, names }).toEqual({ code, names: [...(said.get(code) ?? [])].sort() });
  }
});

/** Attributes that people read or hear. */
const SPOKEN = new Set([
  'label',
  'title',
  'about',
  'placeholder',
  'description',
  'alt',
  'aria-label',
  'legend',
  'nothingFound',
]);

/** Texts of a component that are written into it, where they cannot be translated. */
function literalTexts(file: string, text: string): string[] {
  const found: string[] = [];
  const hasLetters = (words: string) => /\p{L}{2,}/u.test(words);
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && hasLetters(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && SPOKEN.has(node.name.getText())) {
      const { initializer } = node;
      const literal = initializer && ts.isJsxExpression(initializer) ? initializer.expression : initializer;
      if (literal && ts.isStringLiteralLike(literal) && hasLetters(literal.text)) found.push(literal.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

const components = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.tsx'),
);

test.each(components)('%s holds no text of its own', (name) => {
  expect(literalTexts(basename(name), readFileSync(join(SOURCE, name), 'utf8'))).toEqual([]);
});

test('text in a component is found in each place where it may stand', () => {
  const component = `
    const A = () => <p title="Hello">Good morning<img alt={'A cat'} /><b aria-label={t('x')}>· {name}</b></p>;`;
  expect(literalTexts('A.tsx', component)).toEqual(['Hello', 'Good morning', 'A cat']);
});

test('every page has a catalogue with a title', () => {
  const pages = readdirSync(join(SOURCE, 'pages'));
  for (const page of pages) expect(read('en', `${page}.json`)['title']).toEqual(expect.any(String));
});
