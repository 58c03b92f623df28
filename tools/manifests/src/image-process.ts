import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageTree } from './image-tree.ts';

/** A program that was started from the files of an image. */
export interface ImageProcess {
  readonly process: ChildProcess;
  /** What it wrote so far, to either output. */
  readonly output: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Whether a process can be given another user; without that it can write to what it runs from. */
const CAN_CHANGE_USER = process.getuid?.() === 0;

const userOf = ({ user }: ImageTree) => {
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  return { uid, gid };
};

/**
 * Starts a container's process without the container: the image's Node in the image's files, as the image's user where this
 * process may choose one, with nothing of this process' environment, and without a home.
 *
 * @param args in place of the image's command.
 */
export function startFromImage(
  tree: ImageTree,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = tree.command,
): ImageProcess {
  const [, ...flags] = tree.entrypoint;
  const child = spawn(tree.node, [...flags, ...args], {
    cwd: tree.workdir,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...tree.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(CAN_CHANGE_USER ? userOf(tree) : {}),
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
  }
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { process: child, output: () => output.join(''), ended };
}

/** Makes a directory that only the image's user may write to, as a volume is mounted. */
export function makeVolume(tree: ImageTree, directory: string, name: string): string {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  if (CAN_CHANGE_USER) {
    const { uid, gid } = userOf(tree);
    chownSync(path, uid, gid);
  }
  chmodSync(path, 0o700);
  return path;
}
