import { randomUUID } from 'node:crypto';
import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/** Room may be made while a service runs, and what is on a full disk may be money: it starts all the same. */
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT'];

/**
 * Writes a test file into a directory that a setting names, as the service will, so that a missing permission is found
 * before anything depends on it. The directory is made where it is not there.
 *
 * @throws ConfigError that says what to do. A disk that is merely full is not refused.
 */
export async function requireWritable(setting: string, directory: string): Promise<void> {
  const path = join(directory, `.probe-${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile('Tollgate can write here.\n');
      await file.sync();
    } finally {
      await file.close();
      await unlink(path);
    }
    await syncDirectory(directory);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (NO_ROOM.includes(code)) return;
    throw new ConfigError(
      `${setting}: files cannot be written to ${directory} (${message}). Give the directory to the user that the service runs as, on a disk that can be written to.`,
    );
  }
}

/** Makes the names of new files as durable as what is in them. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
