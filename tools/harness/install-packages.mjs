// Installs packages on Debian and Ubuntu, as root; elsewhere it does nothing. Those that it is given, or all that tests
// use. Plain JavaScript without dependencies: what runs all tests begins with it, before anything else is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LIST = fileURLToPath(new URL('debian-packages.json', import.meta.url));

const runQuietly = (program, args) =>
  spawnSync(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
  }).status === 0;

const readAll = () => Object.values(JSON.parse(readFileSync(LIST, 'utf8'))).flat();

/** Another one that installs at the same time is waited for, and nobody waits for the disk: what is lost is installed again. */
const OPTIONS = ['-qq', '-o', 'DPkg::Lock::Timeout=120', '-o', 'Dpkg::Options::=--force-unsafe-io'];

const names = process.argv.length > 2 ? process.argv.slice(2) : readAll();
if (
  process.getuid?.() === 0 &&
  runQuietly('apt-get', ['--version']) &&
  !runQuietly('dpkg', ['-s', ...names])
) {
  runQuietly('apt-get', [...OPTIONS, 'update']);
  runQuietly('apt-get', [...OPTIONS, 'install', '-y', '--no-install-recommends', ...names]);
}
