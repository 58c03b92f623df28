import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELP } from '../help.mjs';
import { ROOT } from './tidy/read-sources.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
const names = Object.keys(scripts);

test('every command has words of its own, and a place in the table of commands', () => {
  expect(Object.keys(HELP).sort()).toEqual([...names].sort());
  const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  expect(names.filter((name) => !new RegExp(`^\\| \`npm (run )?${name}\` `, 'm').test(guide))).toEqual([]);
});

test('none says more than two sentences', () => {
  for (const words of Object.values(HELP)) expect(words.split(/(?<=\.) /).length).toBeLessThanOrEqual(2);
});

// What they do otherwise is felt: files that are written, a stack that is started.
test.each(['screenshots', 'backup', 'bench'] as const)(
  '%s says to --help what it does, and does nothing',
  (name) => {
    const [, program = '', ...args] = scripts[name]?.split(' ') ?? [];
    for (const asked of ['--help', '-h'])
      expect(execFileSync(program, [...args, asked], { cwd: ROOT, encoding: 'utf8', timeout: 20_000 })).toBe(
        `${HELP[name]}\n`,
      );
  },
);
