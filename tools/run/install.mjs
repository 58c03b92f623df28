import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = 'node_modules/.tollgate-installed';
const LOCK = '.tollgate-install.lock';
const LOCK_STALE_MS = 15 * 60_000;
/** The file in it with the id of the process that holds it. */
const HOLDER = 'pid';

/** The hash of everything that decides what is installed. */
const hashLockfile = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

function isInstalled(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashLockfile(root);
}

/** Writes down that node_modules is what the lockfile says. */
export const noteInstalled = (root) => writeFileSync(join(root, STAMP), hashLockfile(root));

/** Installs the dependencies of the lockfile when they are missing or of another lockfile; one at a time. */
export async function install(root, say) {
  if (isInstalled(root)) return;
  await lock(root, say);
  try {
    if (isInstalled(root)) return;
    const from = Date.now();
    say('Installing dependencies (a minute or two, once)');
    const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: 'inherit',
    });
    if (npm.error) throw new Error(`npm could not be started: ${npm.error.message}`);
    if (npm.status !== 0)
      throw new Error(`npm ci failed with exit code ${npm.status}; its own message stands above`);
    noteInstalled(root);
    say(`Dependencies installed in ${Math.round((Date.now() - from) / 1_000)} s`);
  } finally {
    rmSync(join(root, LOCK), { recursive: true, force: true });
  }
}

/** Whoever held it was killed, as by Ctrl-C: npm keeps this program from giving it back. */
function isLeft(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS) return true;
    process.kill(Number(readFileSync(join(path, HOLDER), 'utf8')), 0);
    return false;
  } catch (error) {
    // No such process. A lock that is gone, or that nobody has signed yet, is tried again.
    return error.code === 'ESRCH';
  }
}

async function lock(root, say) {
  const path = join(root, LOCK);
  for (let said = false; ; said = true) {
    try {
      mkdirSync(path);
      writeFileSync(join(path, HOLDER), String(process.pid));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isLeft(path)) {
      rmSync(path, { recursive: true, force: true });
      continue;
    }
    if (!said) say('Another install of this checkout is running; waiting for it');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
