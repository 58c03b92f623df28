import { execFileSync, spawnSync } from 'node:child_process';

/** How to start a program that refuses to run as root. */
export interface Unprivileged {
  /** Put before the program and its arguments. */
  readonly prefix: readonly string[];
  /** The owner that the program's files must have; undefined for whoever runs this. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const IN_A_NAMESPACE = ['unshare', '--user', '--map-user=1000'];

/**
 * Whoever is not root runs the program as it is. For root, a user namespace makes root look like somebody else, so
 * that paths which only root may enter still work; where namespaces are forbidden, the system user `postgres` is taken.
 */
export function unprivileged(): Unprivileged {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const [unshare = '', ...flags] = IN_A_NAMESPACE;
  if (spawnSync(unshare, [...flags, 'true'], { stdio: 'ignore' }).status === 0)
    return { prefix: IN_A_NAMESPACE };
  if (spawnSync('id', ['postgres'], { stdio: 'ignore' }).status !== 0) {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  }
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { prefix: [], owner: { uid: idOf('-u'), gid: idOf('-g') } };
}
