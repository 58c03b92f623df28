import { spawnSync } from 'node:child_process';

/** Installs a package on Debian and Ubuntu, as root; elsewhere it does nothing. */
export function installWithApt(name: string, say: (text: string) => void): void {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  say(`Installing ${name} with apt-get`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'ignore' } as const;
  // Another one that installs at the same time is waited for.
  const patience = ['-o', 'DPkg::Lock::Timeout=120'];
  spawnSync('apt-get', [...patience, 'update', '-qq'], options);
  spawnSync('apt-get', [...patience, 'install', '-y', '-qq', '--no-install-recommends', name], options);
}
