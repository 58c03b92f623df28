import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../install-packages.mjs');

/** Installs packages on Debian and Ubuntu, as root; elsewhere it does nothing. */
export function installWithApt(names: readonly string[], say: (text: string) => void): void {
  if (process.getuid?.() !== 0) return;
  say(`Installing ${names.join(' and ')} with apt-get`);
  spawnSync(process.execPath, [PROGRAM, ...names], { stdio: 'ignore' });
}
