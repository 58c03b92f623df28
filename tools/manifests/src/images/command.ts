import { spawn } from 'node:child_process';

/** What a failed command says last is what says why. */
const TOLD_LINES = 25;

interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which it is ended. */
  readonly timeout?: number;
}

/**
 * Runs a program to its end.
 *
 * @returns what it wrote to its standard output.
 * @throws with its last lines where it did not end well.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { env = process.env, timeout = 0 }: CommandOptions = {},
): Promise<string> {
  const child = spawn(program, args, { env, timeout, stdio: ['ignore', 'pipe', 'pipe'] });
  const all: string[] = [];
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk.toString());
    all.push(chunk.toString());
  });
  child.stderr.on('data', (chunk: Buffer) => void all.push(chunk.toString()));
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(exit ?? signal ?? 'unknown'));
  });
  if (code === 0) return output.join('');
  const said = all.join('').trimEnd().split('\n').slice(-TOLD_LINES).join('\n');
  throw new Error(`${program} ${args.slice(0, 3).join(' ')} … ended with ${code}:\n${said}`);
}
