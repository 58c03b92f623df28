// Which packages a bundle is made of, and which it looks for in `node_modules`, as paths and names of the lockfile.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { findNeeded, findPackage } from '../../../docker/needed-packages.mjs';

const PATH = /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const NAME = /^(?:@[\w.-]+\/)?\w[\w.-]*(?=\/|$)/;

/**
 * Decides what stays out of the bundle of the app in whose directory this runs, and writes of all packages a `packages.json` into it:
 * `contains` are the paths of those whose code is in it, `loads` the names of those that it takes from `node_modules`, where
 * they are there. An image holds these and no others; see `docker/trim-packages.mjs`.
 *
 * @param {string} root the checkout
 * @param {readonly RegExp[]} external what stays in `node_modules`
 */
export function openPackageList(root, external) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const toPath = (file) => relative(root, file).split(sep).join('/');
  const app = toPath(process.cwd());
  const needed = findNeeded(packages, [app]);
  const loads = new Set();
  return {
    /**
     * What the app does not need is there for others or for development: somebody could use it where it is, and it is in no image.
     *
     * @throws where the bundle would find another version of a package than who imports it has
     */
    isExternal(id, importer) {
      const [name] = NAME.exec(id) ?? [];
      if (name === undefined || importer === undefined) return false;
      const path = findPackage(packages, toPath(importer), name);
      const isNeeded = path === undefined || packages[path].link || needed.has(path);
      if (isNeeded && !external.some((one) => one.test(id))) return false;
      const found = findPackage(packages, app, name);
      if (isNeeded && path !== found)
        throw new Error(`${importer} has ${path}, and its bundle would find ${found}`);
      if (isNeeded && path !== undefined) loads.add(name);
      return true;
    },
    plugin: {
      name: 'package-list',
      writeBundle({ dir }, files) {
        const modules = Object.values(files).flatMap((file) => Object.keys(file.modules ?? {}));
        const paths = modules.map((id) => PATH.exec(id.replace('\0', ''))?.[0]).filter(Boolean);
        const listed = { contains: [...new Set(paths.map(toPath))].sort(), loads: [...loads].sort() };
        writeFileSync(join(dir, 'packages.json'), `${JSON.stringify(listed, null, 2)}\n`);
      },
    },
  };
}
