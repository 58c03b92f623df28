import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Whoever is signed in is known before a page is shown: its loader fails where that cannot be asked. */
const IS_KNOWN = /^useQuery\(sessionQuery\)/;

test('whoever asks for something shows why it is not there, or leaves that to useLookup', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: ROOT, exclude: ['api/generated/**', '**/*.spec.ts'] });
  const texts = files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);
  const calls = texts.flatMap(([path, text]) =>
    [...text.matchAll(/(?:const (\{[^}]*\}|\w+) =\s+)?use(?:Infinite|Suspense)?Quer(?:y|ies)\(/g)].map(
      (call) => ({
        path,
        text,
        result: call[1] ?? '',
        asked: text.slice(call.index + call[0].search(/use\w+\($/), call.index + 200),
      }),
    ),
  );
  expect(calls.length).toBeGreaterThan(40);
  const silent = calls
    .filter(({ path, asked }) => path !== 'shared/use-lookup.ts' && !IS_KNOWN.test(asked))
    .filter(({ text, result }) =>
      result.startsWith('{')
        ? !/\berror\b/.test(result)
        : !new RegExp(`\\b${result || '-'}\\.error\\b`).test(text),
    );
  expect(silent.map(({ path, asked }) => `${path}: ${asked.split('\n')[0]}`)).toEqual([]);
});
