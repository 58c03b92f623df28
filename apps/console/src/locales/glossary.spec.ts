import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROW =
  /^\| (?<term>\S[^|]*?) +\| (?<chinese>\S+) +\| (?<elsewhere>\S[^|]*?) +\| (?<reason>\S[^|]*?) +\|$/;

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
  expect(terms.length).toBeGreaterThan(35);
  expect(new Set(terms).size).toBe(terms.length);
});

test.each(rows.map(({ term = '', chinese = '' }) => [term, chinese]))(
  'the console says %s, and %s',
  (term, chinese) => {
    expect(saidIn('en').toLowerCase()).toContain(term.toLowerCase());
    expect(saidIn('zh-CN')).toContain(chinese);
  },
);
