import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where programs are though the PATH does not say so: that of a service or a test may be short. */
const ALSO = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** The first of these programs that is there, in the directories of the PATH and those where packages put them. */
export function findOnPath(names: readonly string[]): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...ALSO]
    .filter((directory) => directory !== '')
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((path) => existsSync(path));
}
