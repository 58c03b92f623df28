// Takes out of node_modules what no running program loads: types, maps of code that is not ours, what packages bring of their
// own development, and packages that are there only because another one could use them. Licences stay:
// node docker/trim-packages.mjs <workspace>
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const [workspace = ''] = process.argv.slice(2);
const NOT_LOADED = /\.(?:[cm]?ts|map)$|^(?!licen[cs]e|notice|copying).*\.(?:md|markdown)$/i;
/** Folders that stand in a package beside its code. */
const OF_DEVELOPMENT = ['test', 'tests', 'docs', 'benchmark', 'benchmarks', 'example', 'examples', '.github'];
const LIST = 'node_modules/.package-lock.json';

const installed = JSON.parse(readFileSync(LIST, 'utf8'));
const { packages } = installed;

/** Where a package finds another one, as Node looks for it: beside itself, then further up. */
function find(from, name) {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder === '.' ? '' : folder, 'node_modules', name);
    if (packages[path]) return path;
    if (folder === '.' || folder === '') return undefined;
  }
}

/** A peer that is optional is no reason: whoever loads it names it. */
function* namesOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  yield* Object.keys({ ...dependencies, ...optionalDependencies });
  for (const name of Object.keys(peerDependencies ?? {}))
    if (!peerDependenciesMeta[name]?.optional) yield name;
}

const needed = new Set();
const waiting = [posix.join('node_modules', workspace)];
if (!packages[waiting[0]]) throw new Error(`${workspace} is not installed`);
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  if (needed.has(path)) continue;
  needed.add(path);
  const { link, resolved } = packages[path];
  const from = link ? resolved : path;
  for (const name of namesOf(packages[from] ?? {})) {
    const next = find(from, name);
    if (next) waiting.push(next);
  }
}

const isNeedless = (path) => path.includes('node_modules/') && !packages[path].link && !needed.has(path);
for (const path of Object.keys(packages).filter(isNeedless)) rmSync(path, { recursive: true, force: true });
for (const [path, { link }] of Object.entries(packages)) {
  if (link || !path.includes('node_modules/') || isNeedless(path)) continue;
  for (const folder of OF_DEVELOPMENT) rmSync(join(path, folder), { recursive: true, force: true });
}
// What lists the packages of an image reads this.
const left = Object.fromEntries(Object.entries(packages).filter(([path]) => !isNeedless(path)));
writeFileSync(LIST, `${JSON.stringify({ ...installed, packages: left }, null, 2)}\n`);

for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && NOT_LOADED.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
}
