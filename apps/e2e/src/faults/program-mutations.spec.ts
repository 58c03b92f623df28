// A mutation is made in one place of a built program. Here each place is looked for, which takes moments; that the audit finds
// what it does is shown by `npm run chaos -- --mutation all`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_MUTATIONS } from '@tollgate/chaos/program-mutations';

const ROOT = join(import.meta.dirname, '../../../..');

test.each(Object.entries(PROGRAM_MUTATIONS))(
  'the place of %s is there, and there alone',
  (_name, { file, find }) => {
    const path = file.startsWith('libs/') ? file : join('apps', file);
    const program = readFileSync(join(ROOT, path), 'utf8');
    expect(program.match(new RegExp(find, 'g'))).toHaveLength(1);
  },
);
