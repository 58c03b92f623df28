import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { COMPILE_CACHE } from '@tollgate/harness';
import { sharedStack } from '../shared-stack.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', '..', '..', 'tools', 'cli', 'bin', 'tollgate.mjs');

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command as a person at a terminal of their own would, signed in as the owner of the stack. */
export function tollgate(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<Ended> {
  const at = sharedStack();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        TOLLGATE_URL: at.baseUrl,
        TOLLGATE_SESSION: at.cookie,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
    child.once('error', reject);
    child.once('close', (exit) => resolve({ exit, out: out.join(''), err: err.join('') }));
    child.stdin.end(input);
  });
}
