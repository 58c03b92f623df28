import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCli } from '@tollgate/cli';
import { COMPILE_CACHE } from '@tollgate/harness';
import { sharedStack } from '../shared-stack.ts';

export const PROGRAM = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'tools',
  'cli',
  'bin',
  'tollgate.mjs',
);

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string>>;

/** What a terminal of one's own has set, signed in as the owner of the stack. */
function toEnvironment(env: Environment | undefined): Record<string, string> {
  const { baseUrl, cookie } = sharedStack();
  return { TOLLGATE_URL: baseUrl, TOLLGATE_SESSION: cookie, ...env };
}

/** Runs a command in this process, without a terminal: the program takes half a second of a processor to load. */
export async function tollgate(args: readonly string[], { env }: { env?: Environment } = {}): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await runCli(args, {
    env: toEnvironment(env),
    stdin: Readable.from([]),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { exit, out: out.join(''), err: err.join('') };
}

/** Runs the program as a person does. It ends when it has left nothing open. */
export function runProgram(
  args: readonly string[],
  { env, input = '' }: { env?: Environment; input?: string } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...toEnvironment(env),
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
