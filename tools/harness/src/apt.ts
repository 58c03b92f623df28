import { spawnSync } from 'node:child_process';

/** Installs a package on Debian and Ubuntu, as root; elsewhere it does nothing. */
export function installWithApt(name: string, say: (text: string) => void): void {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  say(`Installing ${name} with apt-get`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'ignore' } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options);
}
