import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { makeDebian } from './debian.ts';

/** A place with a buildah that knows our Dockerfile's `COPY --parents`; older Debians have none. */
export interface BuildRoot {
  /** Runs buildah there; paths are those of this machine. */
  readonly buildah: (args: readonly string[], timeout?: number) => Promise<string>;
}

/** Buildah makes no container without netavark, also where a build has the network of this machine. */
const PACKAGES = ['buildah', 'ca-certificates', 'netavark'];

/**
 * Enters the root: a namespace of mounts whose `/` it becomes, as builds that are isolated by chroot alone refuse to run in a
 * chroot. The system's directories and the two that a build reads and writes are where they are outside.
 */
const ENTER = `
set -eu
root=$1; shift
mount --bind "$root" "$root"
for path in /proc /sys /dev "$CHECKOUT" "$WORK"; do mkdir -p "$root$path"; mount --rbind "$path" "$root$path"; done
cat /etc/resolv.conf > "$root/etc/resolv.conf"
mkdir -p "$root/outside"; cd "$root"
pivot_root . outside
umount -l /outside
cd "$CHECKOUT"
exec "$@"
`;

/** Makes the root in a directory, or takes the one that is there. */
export async function makeBuildRoot(directory: string, checkout: string): Promise<BuildRoot> {
  const root = join(directory, 'build-root');
  const ready = join(root, '.ready');
  if (!existsSync(ready) || readFileSync(ready, 'utf8') !== PACKAGES.join(' ')) {
    rmSync(root, { recursive: true, force: true });
    const tar = await makeDebian(directory, 'build-root', 'sid', PACKAGES);
    mkdirSync(root, { recursive: true });
    await runCommand('tar', ['-xf', tar, '-C', root, '--exclude=./dev/*']);
    writeFileSync(ready, PACKAGES.join(' '));
  }
  const work = join(directory, 'work');
  const storage = join(work, 'buildah');
  mkdirSync(storage, { recursive: true });
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    TMPDIR: work,
    CHECKOUT: checkout,
    WORK: work,
  };
  const enter = ['--mount', '--propagation', 'private', 'bash', '-c', ENTER, 'enter', root];
  const options = ['--root', storage, '--runroot', join(work, 'buildah-run')];
  return {
    buildah: (args, timeout = 0) =>
      runCommand('unshare', [...enter, 'buildah', ...options, ...args], { env, timeout }),
  };
}
