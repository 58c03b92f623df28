// Tells whether what is built is that of the sources as they are. The build tool would put every output again, also the
// same ones, and take them away for that moment from all that runs from them.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const STAMP = 'node_modules/.cache/tollgate/built.json';
const PLACES = ['apps', 'libs', 'tools'];
/** What stands in no project and yet decides what a build makes. */
const SHARED = ['package.json', 'package-lock.json', 'nx.json', 'tsconfig.base.json', '.swcrc'];
const IS_OUTPUT = /^[^/]+\/[^/]+\/(?:dist|bundle|src\/\w+\/generated)\//;
/** No build looks at these. */
const IS_OTHER = /\.spec\.ts$|\.md$|\/src\/(?:.*\/)?golden\//;

/**
 * Two hashes over name, size and time of change of every file: of those that are built from, and of those that are built.
 *
 * @param {string} root the checkout
 * @returns {{ sources: string, outputs: string }}
 */
export function lookAt(root) {
  const sources = createHash('sha256');
  const outputs = createHash('sha256');
  const files = [...SHARED, ...PLACES.flatMap((place) => filesBelow(root, join(root, place)))];
  for (const file of files.sort()) {
    const isOutput = IS_OUTPUT.test(file);
    if (!isOutput && IS_OTHER.test(file)) continue;
    const found = statSync(join(root, file), { throwIfNoEntry: false });
    (isOutput ? outputs : sources).update(`${file} ${found?.size} ${found?.mtimeMs}\n`);
  }
  return { sources: sources.digest('hex'), outputs: outputs.digest('hex') };
}

/**
 * Whether nothing has changed since the last build that was noted.
 *
 * @param {string} root the checkout
 * @returns {boolean}
 */
export function isBuilt(root) {
  const noted = read(join(root, STAMP));
  if (noted === undefined) return false;
  const { sources, outputs } = lookAt(root);
  return noted === JSON.stringify({ sources, outputs });
}

/**
 * Notes a build that has ended well.
 *
 * @param {string} root the checkout
 * @param {string} sources what they were before the build: what was changed meanwhile may be in it or not
 */
export function noteBuilt(root, sources) {
  const file = join(root, STAMP);
  mkdirSync(dirname(file), { recursive: true });
  const { outputs } = lookAt(root);
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ sources, outputs }));
  renameSync(`${file}.${process.pid}`, file);
}

function filesBelow(root, directory) {
  return listed(directory).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(root, path) : [relative(root, path).split(sep).join('/')];
  });
}

/** None of a directory that is not there, or is gone by now. */
function listed(directory) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
