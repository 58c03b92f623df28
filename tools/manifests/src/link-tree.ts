import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Lays out the same files at another place, as hard links where that is possible: none may be changed there. Without the
 * `node_modules` of a package: what is in there has a line of its own in the lockfile.
 */
export function linkTree(from: string, to: string): void {
  const found = lstatSync(from);
  if (found.isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      if (name !== 'node_modules') linkTree(join(from, name), join(to, name));
    }
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else linkFile(from, to);
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another file system, or one without hard links.
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(code ?? '')) throw error;
    copyFileSync(from, to);
  }
}
