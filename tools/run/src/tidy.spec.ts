// What we want of layout, length, words and paths, checked by reading files. Each list of what is left may only shrink:
// a check is red when something new is found, and when something on its list is found no more.
import { globSync } from 'node:fs';
import {
  LONG_FILES_LEFT,
  LONG_FUNCTIONS_LEFT,
  RETIRED_WORDS_LEFT,
  SMALL_FILES_LEFT,
  WALL_CLOCK_LEFT,
} from './tidy/left.ts';
import { findLongFunctions } from './tidy/find-long-functions.ts';
import { findMeasuredByWallClock } from './tidy/find-measured-by-wall-clock.ts';
import { findMissingAnchors, findMissingPaths } from './tidy/find-missing-paths.ts';
import { findSmallFiles } from './tidy/find-small-files.ts';
import { findRetiredWords, RETIRED_WORDS } from './tidy/retired-words.ts';
import { findUnknownLogEvents, findUnnamedLogLines } from './tidy/find-unnamed-log-lines.ts';
import { findUndeclaredDependencies } from './tidy/find-undeclared-dependencies.ts';
import { findUnusedDependencies } from './tidy/find-unused-dependencies.ts';
import { findUnusedExports, readPackageEntries } from './tidy/find-unused-exports.ts';
import { readCode, readDocuments, ROOT, type Source } from './tidy/read-sources.ts';

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 70;
/** Of a file that one other file alone imports. */
const MIN_FILE_LINES = 25;

/** Golden files are recorded, a migration is one frozen text, and a language is one list of words. */
const ANY_LENGTH = /\/(?:golden|migrations|locales)\//;
const isTest = (path: string): boolean => /\.spec\.tsx?$/.test(path);

let code: Source[];
let documents: Source[];
let words: Record<string, string[]>;
beforeAll(() => {
  code = readCode();
  documents = readDocuments();
  words = findRetiredWords([...code, ...documents]);
});

/** What is not on the list, and what is on it without need. */
const compare = (found: readonly string[], left: readonly string[]) => ({
  'new: put it right, do not list it': found.filter((each) => !left.includes(each)).sort(),
  'done: take it off the list in tools/run/src/tidy/left.ts': left.filter((each) => !found.includes(each)),
});
const NOTHING = compare([], []);

test(`files have at most ${MAX_FILE_LINES} lines`, () => {
  const long = code.filter(
    ({ path, text }) => !ANY_LENGTH.test(path) && text.split('\n').length - 1 > MAX_FILE_LINES,
  );
  expect(
    compare(
      long.map(({ path }) => path),
      LONG_FILES_LEFT,
    ),
  ).toEqual(NOTHING);
});

test(`functions have at most ${MAX_FUNCTION_LINES} lines`, () => {
  const found = code
    .filter(({ path }) => !isTest(path) && !ANY_LENGTH.test(path))
    .flatMap((source) => [...findLongFunctions(source, MAX_FUNCTION_LINES).keys()]);
  expect(compare(found, LONG_FUNCTIONS_LEFT)).toEqual(NOTHING);
});

test(`a file under ${MIN_FILE_LINES} lines that one file alone imports stands in that file`, () => {
  const found = [...findSmallFiles(code, MIN_FILE_LINES).keys()];
  expect(compare(found, Object.keys(SMALL_FILES_LEFT))).toEqual(NOTHING);
});

test.each(Object.keys(RETIRED_WORDS))('nobody writes "%s": STYLE has another word for it', (word) => {
  const folders = words[word] ?? [];
  const left = RETIRED_WORDS_LEFT[word] ?? [];
  expect({ write: RETIRED_WORDS[word]?.write, ...compare(folders, left) }).toEqual({
    write: RETIRED_WORDS[word]?.write,
    ...NOTHING,
  });
});

test('what is exported is named by another file', () => {
  expect(findUnusedExports(code, readPackageEntries(ROOT))).toEqual([]);
});

test('every dependency is named by some file', () => {
  const manifests = globSync(['package.json', '{apps,libs,tools}/*/package.json'], { cwd: ROOT });
  const found = manifests.flatMap((manifest) => findUnusedDependencies(ROOT, manifest, code));
  expect(found).toEqual([]);
});

test('what an image runs loads packages that its package.json names only', () => {
  const manifests = globSync(['apps/{gateway,billing,pricing,simulator}', 'libs/*', 'tools/cli'], {
    cwd: ROOT,
  });
  const found = manifests.flatMap((folder) =>
    findUndeclaredDependencies(ROOT, `${folder}/package.json`, code),
  );
  expect(found).toEqual([]);
});

test('every log line of a service names its event, and runbooks name events that are logged', () => {
  expect(findUnnamedLogLines(code)).toEqual([]);
  expect(findUnknownLogEvents(documents, code)).toEqual([]);
});

test('services, and what waits for them, measure how long something takes by performance.now(), which nobody sets', () => {
  expect(compare(findMeasuredByWallClock(code), Object.keys(WALL_CLOCK_LEFT))).toEqual(NOTHING);
});

test('paths that documents name are there', () => {
  expect(findMissingPaths(ROOT, documents)).toEqual([]);
});

test('headings that documents link to are there', () => {
  expect(findMissingAnchors(documents)).toEqual([]);
});

describe('each check notices', () => {
  const file = (text: string, path = 'libs/a/src/a.ts'): Source => ({ path, text });
  const body = '  x();\n'.repeat(80);

  test.each([
    ['a function', `function long(): void {\n${body}}\n`, 'long'],
    ['a function of nothing', `export const long = async () => {\n${body}};\n`, 'long'],
    ['parameters on several lines', `export function long(\n  a: A,\n): Promise<B> {\n${body}}\n`, 'long'],
    ['an object of parameters', `const long = ({\n  a,\n}: Props) => (\n${body});\n`, 'long'],
    ['a method', `class A {\n  async long(a: A): Promise<B> {\n${body.replace(/^/gm, '  ')}  }\n}\n`, 'long'],
  ])('%s that is too long', (_, text, name) => {
    expect([...findLongFunctions(file(text), 70).keys()]).toEqual([`libs/a/src/a.ts ${name}`]);
    expect(findLongFunctions(file(text), 90).size).toBe(0);
  });

  test.each([
    ['a class', `class A {\n${body}}\n`],
    ['a condition', `if (a) {\n${body}}\n`],
    ['a condition on several lines', `if (\n  a\n) {\n${body}}\n`],
    ['a table', `const TABLE = {\n${body}};\n`],
  ])('but not %s', (_, text) => {
    expect(findLongFunctions(file(text), 70).size).toBe(0);
  });

  test.each(Object.entries(RETIRED_WORDS))('the word "%s"', (word, { example }) => {
    expect(findRetiredWords([file(example, 'docs/a.md')])).toEqual({ [word]: ['docs'] });
  });

  test('a retired word in the name of a file', () => {
    expect(findRetiredWords([file('', 'apps/a/src/people/a.ts')])).toEqual({ folders: ['apps/a'] });
  });

  test.each([
    ["logger.warn({ reason }, 'late');", ['libs/a/src/a.ts:1']],
    ["\nthis.logger.info(\n  { spans },\n  'sent',\n);", ['libs/a/src/a.ts:2']],
    ["logger.error('gone');", ['libs/a/src/a.ts:1']],
    ["logger[full ? 'error' : 'info']({ taken }, 'full');", ['libs/a/src/a.ts:1']],
    ["logger.warn({ event: 'sent', at: now() }, 'sent');", []],
    ["catalog.info({ reason }, 'no log');", []],
  ])('a log line without an event: %j', (text, found) => {
    expect(findUnnamedLogLines([file(text)])).toEqual(found);
  });

  test.each([
    ['const late = Date.now() - beganAt > 5_000;', true],
    ['const leftMs = until - Date.now();', true],
    ['if (Date.now() < awayUntil) return;', true],
    ['if (until <= Date.now()) return;', true],
    ['setTimeout(stop, beganAt + (Date.now() - sentAt));', true],
    ['export function createBudget(now: () => number = Date.now) {}', true],
    ['const at = Date.now();', false],
    ['export const newId = (now: number = Date.now()): string => write(now);', false],
    ['const tell = () => Date.now();', false],
    ['const late = performance.now() - beganAt > 5_000;', false],
  ])('a length of time by a clock that is set: %s', (text, isFound) => {
    const path = 'apps/gateway/src/a.ts';
    expect(findMeasuredByWallClock([file(text, path)])).toEqual(isFound ? [path] : []);
    expect(findMeasuredByWallClock([file(text, 'apps/gateway/src/a.spec.ts')])).toEqual([]);
    expect(findMeasuredByWallClock([file(text, 'tools/harness/src/a.ts')])).toHaveLength(isFound ? 1 : 0);
  });

  test('an event in a runbook that nobody logs', () => {
    const logs = file(
      "logger.warn({ event: 'sent' }, 'sent');\nlogger[a ? 'error' : 'info']({ event: a ? 'b' : 'c' }, 'd');",
    );
    const runbook = file(
      '- The log of a: `sent` or `b`.\n- The log of a: `lost` with `x`.',
      'docs/runbooks/A.md',
    );
    expect(findUnknownLogEvents([runbook], [logs])).toEqual(['docs/runbooks/A.md lost']);
  });

  test('exports that nobody names, and none that somebody does', () => {
    const entries = new Map([['@tollgate/a', 'libs/a/src/index.ts']]);
    const unused = findUnusedExports(
      [
        file('export const one = 1;\nexport interface Two {}\nexport function three() {}\nconst four = 4;\n'),
        file("export { one, type Two } from './a.ts';\nexport * from './b.ts';\n", 'libs/a/src/index.ts'),
        file('export const five = 5;\nexport const six = 6;\n', 'libs/a/src/b.ts'),
        file("import {\n  five,\n  type Two,\n} from '@tollgate/a';\n", 'apps/x/src/main.ts'),
        file('export class Page {}\n', 'apps/x/src/page.ts'),
        file("const page = await import('./page.ts');\n", 'apps/x/src/load.ts'),
      ],
      entries,
    );
    expect(unused).toEqual([
      'libs/a/src/a.ts one',
      'libs/a/src/a.ts three',
      'libs/a/src/index.ts one',
      'libs/a/src/b.ts six',
    ]);
  });

  test.each<[string, string, string[]]>([
    ['alone', "import { a } from './a.ts';\n", ['libs/a/src/a.ts']],
    ['of several lines', "import {\n  a,\n  b,\n} from './a.ts';\n", ['libs/a/src/a.ts']],
    ['for what it does', "import './a.ts';\n", ['libs/a/src/a.ts']],
    ['when it is needed', "const a = await import('./a.ts');\nimport type { A } from './a.ts';\n", []],
    ['from elsewhere', "import { a } from '../a.ts';\n", []],
  ])('a small file that another imports %s', (_, text, found) => {
    const small = (...others: Source[]) => [
      ...findSmallFiles([file('export const a = 1;\n'), file(text, 'libs/a/src/b.ts'), ...others], 25).keys(),
    ];
    expect(small()).toEqual(found);
    expect(small(file(text, 'libs/a/src/a.spec.ts'))).toEqual([]);
    const long = [file('\n'.repeat(25)), file(text, 'libs/a/src/b.ts')];
    expect([...findSmallFiles(long, 25).keys()]).toEqual([]);
  });

  test('dependencies that nobody names', () => {
    const used = file("import { test } from '@jest/globals';\n", 'apps/a/src/a.ts');
    expect(findUnusedDependencies(ROOT, 'package.json', [used])).toContain('package.json zod');
    const imported = file("import { z } from 'zod';\n", 'apps/a/src/a.ts');
    expect(findUnusedDependencies(ROOT, 'package.json', [imported])).not.toContain('package.json zod');
  });

  test('dependencies that no package.json names', () => {
    const sources = [
      file("import { test } from '@jest/globals/deep';\nimport zod from 'zod';\n", 'libs/money/src/a.ts'),
      file("import type { Pool } from 'pg';\n", 'libs/money/src/b.ts'),
      file("import { test } from 'jest';\n", 'libs/money/src/b.spec.ts'),
    ];
    expect(findUndeclaredDependencies(ROOT, 'libs/money/package.json', sources)).toEqual([
      'libs/money/package.json @jest/globals',
      'libs/money/package.json zod',
    ]);
  });

  test('paths that are not there', () => {
    const text =
      'See `apps/gone/src/a.ts`, `gone.spec.ts`, [it](gone.md), `apps/<app>/dist/migrate.js` and [docs](upgrade.md#going-back).';
    expect(findMissingPaths(ROOT, [file(text, 'docs/a.md')])).toEqual([
      'docs/a.md apps/gone/src/a.ts',
      'docs/a.md docs/gone.md',
      'docs/a.md gone.spec.ts',
    ]);
  });

  test('headings that are not there', () => {
    const one = file('# One\n\n[a](b.md#the-b_c-of-d) [b](b.md#gone) [`c`](#one) [d](#two)\n', 'docs/a.md');
    const other = file('## The `B_C`, of [D](a.md)\n\n```sh\n# gone\n```\n', 'docs/b.md');
    expect(findMissingAnchors([one, other])).toEqual(['docs/a.md b.md#gone', 'docs/a.md #two']);
  });
});
