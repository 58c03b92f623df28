// Which packages others need, by what npm writes of them in its lockfiles, as paths below which they are installed.
import { posix } from 'node:path';

const MODULES = 'node_modules';

/**
 * Where a package finds another one, as Node looks for it: beside itself, then further up.
 *
 * @param {Record<string, object>} packages of a lockfile, by path
 * @param {string} from path of who looks
 * @returns {string | undefined} its path; undefined where nobody has it
 */
export function findPackage(packages, from, name) {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder === '.' ? '' : folder, MODULES, name);
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

/**
 * The packages at these paths with all that they name but for development, and so on.
 *
 * @param {Record<string, object>} packages of a lockfile, by path
 * @param {Iterable<string>} paths of packages, or of links to workspaces
 * @returns {Set<string>} paths
 */
export function findNeeded(packages, paths) {
  const found = new Set();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const { link, resolved } = packages[path];
    const from = link ? resolved : path;
    const names = [...namesOf(packages[from] ?? {})];
    waiting.push(...names.map((name) => findPackage(packages, from, name)).filter(Boolean));
  }
  return found;
}
