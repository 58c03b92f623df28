import { spawn } from 'node:child_process';

interface Ran {
  readonly output: string;
  /** Undefined when it took too long and was killed. */
  readonly code: number | null | undefined;
}

/** Nothing but this machine can be reached: the proxy of everything else is a port that nobody listens on. */
export const LOOPBACK_ONLY: Readonly<Record<string, string>> = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  no_proxy: '127.0.0.1,localhost',
};

/** Runs a program in a process group of its own, none of which outlives it. */
export function runProcess(
  [program, ...args]: readonly [string, ...string[]],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string | undefined;
    readonly timeoutMs: number;
  },
): Promise<Ran> {
  const { cwd, env, input, timeoutMs } = options;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const killGroup = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  let output = '';
  let isLate = false;
  const add = (text: string) => {
    if (output.length < MAX_OUTPUT) output += text;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const timer = setTimeout(() => {
    isLate = true;
    killGroup();
  }, timeoutMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ output, code: isLate ? undefined : code });
    });
    // Its children may hold the pipes open.
    child.once('exit', killGroup);
  });
}

const MAX_OUTPUT = 4_000_000;
