import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';

/**
 * Makes the files of a Debian as a tar, out of Debian's mirrors; one of the same packages that is there from before is taken.
 *
 * @param packages beside those that are essential.
 */
export async function makeDebian(
  directory: string,
  name: string,
  suite: string,
  packages: readonly string[],
): Promise<string> {
  const [tar, list] = [join(directory, `${name}.tar`), join(directory, `${name}.packages`)];
  const expected = [suite, ...packages].join(' ');
  if (existsSync(tar) && existsSync(list) && readFileSync(list, 'utf8') === expected) return tar;
  const made = join(directory, `${name}.part.tar`);
  await runCommand('mmdebstrap', [
    // A mirror's list may be older than it allows itself.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--variant=minbase',
    ...(packages.length > 0 ? [`--include=${packages.join(',')}`] : []),
    suite,
    made,
  ]);
  renameSync(made, tar);
  writeFileSync(list, expected);
  return tar;
}
