import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Takes a home directory for this process.
 *
 * @returns what gives it back.
 * @throws when another launcher that still runs has it.
 */
export function takeHome(home: string): () => void {
  const file = join(home, 'launcher.pid');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const other = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (other > 0 && other !== process.pid && isLauncher(other)) {
    throw new Error(
      `Tollgate runs already from ${home} (process ${other}). Stop it first, or start a second one beside it:\n` +
        '  TOLLGATE_HOME=.tollgate-2 PORT=3001 npm start',
    );
  }
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function isLauncher(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const command = `/proc/${pid}/cmdline`;
    return !existsSync(command) || readFileSync(command, 'utf8').match(/(?:start|restore)\.ts/) !== null;
  } catch {
    return false;
  }
}
