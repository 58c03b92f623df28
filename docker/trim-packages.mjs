// Leaves in node_modules what the bundle of a workspace loads from there, without types, maps of code that is not ours, and what
// packages bring of their own development. Of a package whose code is in the bundle its name, version and licence stay, for who
// looks through an image. By what npm wrote of its install: node docker/trim-packages.mjs <workspace>
import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findNeeded, findPackage } from './needed-packages.mjs';

const [workspace = ''] = process.argv.slice(2);
const MODULES = 'node_modules';
const NOTICE = /^(?:licen[cs]e|notice|copying)/i;
const NOT_LOADED = /\.(?:[cm]?ts|map|md|markdown)$/i;
/** Folders that stand in a package beside its code. */
const OF_DEVELOPMENT = ['test', 'tests', 'docs', 'benchmark', 'benchmarks', 'example', 'examples', '.github'];
const LIST = `${MODULES}/.package-lock.json`;

const installed = JSON.parse(readFileSync(LIST, 'utf8'));
const { packages } = installed;
const { resolved: home } = packages[posix.join(MODULES, workspace)] ?? {};
if (home === undefined) throw new Error(`${workspace} is not installed`);
/** Of the bundle: paths of packages whose code it contains, and names of those that it looks for here. */
const bundle = JSON.parse(readFileSync(join(home, 'bundle', 'packages.json'), 'utf8'));

const needed = findNeeded(packages, [posix.join(MODULES, workspace)]);
const unnamed = bundle.contains.filter((path) => !needed.has(path));
if (unnamed.length > 0)
  throw new Error(`${workspace} names none of these, and its bundle has them: ${unnamed.join(' ')}`);
const contained = new Set(bundle.contains);
const named = bundle.loads
  .map((name) => findPackage(packages, home, name))
  .filter((path) => needed.has(path));
const loaded = findNeeded(packages, named);

/** Deletes files of a package that are not to stay. Packages in it are looked at by themselves. */
function clear(folder, stays, isTop = true) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (!stays(entry.name, isTop)) rmSync(path);
    } else if (entry.name !== MODULES) clear(path, stays, false);
  }
}

function removeEmpty(folder) {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) removeEmpty(join(folder, name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

const left = {};
for (const [path, described] of Object.entries(packages)) {
  if (!path.includes(`${MODULES}/`)) continue;
  if (described.link) {
    rmSync(path);
    continue;
  }
  if (loaded.has(path)) {
    for (const name of OF_DEVELOPMENT) rmSync(join(path, name), { recursive: true, force: true });
    clear(path, (name) => NOTICE.test(name) || !NOT_LOADED.test(name));
  } else {
    clear(
      path,
      (name, isTop) => contained.has(path) && (NOTICE.test(name) || (isTop && name === 'package.json')),
    );
  }
  if (loaded.has(path) || contained.has(path)) left[path] = described;
}
rmSync(join(MODULES, '.bin'), { recursive: true, force: true });
removeEmpty(MODULES);
// What lists the packages of an image reads this.
writeFileSync(LIST, `${JSON.stringify({ ...installed, packages: left }, null, 2)}\n`);
