import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath, installWithApt } from '@tollgate/harness';

/** What an image is built and run with, and the Debian package that has it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  mmdebstrap: 'mmdebstrap',
  podman: 'podman',
  runc: 'runc',
  unshare: 'util-linux',
  'aardvark-dns': 'aardvark-dns',
  netavark: 'netavark',
  iptables: 'iptables',
};
/** Where podman's own helpers are, which are on no PATH. */
const HELPERS = ['/usr/lib/podman', '/usr/libexec/podman'];

const isThere = (program: string): boolean =>
  findOnPath([program]) !== undefined || HELPERS.some((folder) => existsSync(join(folder, program)));

/** What this machine lacks for building and running images, in words; on Debian and Ubuntu, as root, it is installed first. */
export function findLacks(say: (text: string) => void): readonly string[] {
  if (process.platform !== 'linux') return ['images are built and run on Linux only'];
  if (process.getuid?.() !== 0) return ['building and running images takes root here'];
  const missing = Object.entries(PROGRAMS).filter(([program]) => !isThere(program));
  for (const [, name] of missing) installWithApt([name], say);
  return missing
    .filter(([program]) => !isThere(program))
    .map(([program, name]) => `${program} is not installed (Debian's package ${name})`);
}
