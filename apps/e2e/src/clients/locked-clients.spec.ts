import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Whether Node, looking from a package upwards, comes to one of that name. */
function isLocked(packages: Readonly<Record<string, Locked>>, from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (`${at === '' ? '' : `${at}/`}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}

// `npm ci` refuses a lockfile that leaves one out, also where it is for another platform and would not be installed.
test.each(['agents', 'libraries'])('the lockfile of %s has every package that one of it names', (kind) => {
  const text = readFileSync(join(import.meta.dirname, '../../clients', kind, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> };
  const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (name) => !isLocked(packages, from, name),
    ),
  );
  expect(missing).toEqual([]);
});
