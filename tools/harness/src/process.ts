import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

interface ProcessOptions {
  readonly name: string;
  /** The program's entry, run by this Node. */
  readonly script: string;
  /** Arguments of Node. */
  readonly nodeArgs?: readonly string[];
  /** Arguments of the script. */
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Put before the program at each start, such as a shell that sets limits and then becomes it. */
  readonly prefix?: () => readonly string[];
  /** Its output is appended here. */
  readonly logFile: string;
  /** Called when it ended without being asked to; it is started again after `afterMs`. */
  readonly onCrash?: (how: string, afterMs: number) => void;
  /** Called with every process id it has, the first and those after crashes. */
  readonly onStart?: (pid: number) => void;
}

/** A service that is started again when it crashes. */
export interface RunningProcess {
  readonly name: string;
  readonly pid: () => number;
  /** Asks it to end and waits until it has; after `graceMs` it is killed. */
  stop(graceMs?: number): Promise<void>;
  /** Starts it again after it was stopped, from now on with these variables changed, and from another entry if one is named. */
  start(changes?: Readonly<Record<string, string>>, script?: string): void;
  /** Ends it at once, as a crash would; it is started again. */
  kill(): void;
  /** Takes the processor away from it: it hangs, with every connection open. */
  freeze(): void;
  thaw(): void;
}

/** What Node compiled once is read by the next start of the same program. */
export const COMPILE_CACHE = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  '.cache',
  'tollgate',
  'compiled',
);
const RESTART_MS = { initial: 250, max: 5_000 };
/** A process that ran this long was healthy: the next crash is a first one. */
const HEALTHY_MS = 30_000;
const GRACE_MS = 40_000;

/** As in the images: a test reads both. */
export const PROGRAM_ENV = { NODE_ENV: 'production', UV_THREADPOOL_SIZE: '16' };

/** A program sees what is told here, nothing else of who starts it. */
const toProgramEnv = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'] ?? '',
  ...PROGRAM_ENV,
  // A fifth of what loading a service costs.
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  ...env,
});

/** Starts a service. It has an IPC channel, so that it ends by itself when this process is gone. */
export function startProcess(options: ProcessOptions): RunningProcess {
  let child: ChildProcess;
  let stopping = false;
  let { env, script } = options;
  let crashes = 0;
  let exited: Promise<void>;
  /** After a crash, until it is started again: who starts it before that is not to have it twice. */
  let restart: NodeJS.Timeout | undefined;

  const launch = () => {
    const startedAt = performance.now();
    const log = openSync(options.logFile, 'a', 0o600);
    const [program = process.execPath, ...args] = [
      ...(options.prefix?.() ?? []),
      process.execPath,
      '--enable-source-maps',
      ...(options.nodeArgs ?? []),
      script,
      ...(options.args ?? []),
    ];
    child = spawn(program, args, {
      env: toProgramEnv(env),
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    if (child.pid !== undefined) options.onStart?.(child.pid);
    exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve();
        if (stopping) return;
        crashes = performance.now() - startedAt > HEALTHY_MS ? 1 : crashes + 1;
        const afterMs = Math.min(RESTART_MS.max, RESTART_MS.initial * 2 ** (crashes - 1));
        options.onCrash?.(signal ?? `exit code ${code}`, afterMs);
        restart = setTimeout(launch, afterMs);
      });
    });
  };
  launch();

  return {
    name: options.name,
    pid: () => child.pid ?? 0,
    async stop(graceMs = GRACE_MS) {
      stopping = true;
      clearTimeout(restart);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
    start(changes = {}, another = script) {
      env = { ...env, ...changes };
      script = another;
      stopping = false;
      clearTimeout(restart);
      launch();
    },
    kill: () => void child.kill('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

/**
 * Runs a program of this Node to its end.
 *
 * @returns its standard output.
 * @throws with what it wrote to standard error when it fails.
 */
export function runToEnd(
  script: string,
  env: Readonly<Record<string, string>>,
  { signal, say }: { readonly signal?: AbortSignal | undefined; readonly say?: (text: string) => void } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], {
      env: toProgramEnv(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    const output: string[] = [];
    const errors: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      errors.push(chunk.toString());
      for (const [text] of chunk.toString().matchAll(/^Waiting for .*$/gm)) say?.(text);
    });
    child.once('error', (error) => {
      if (!signal?.aborted) reject(error);
    });
    child.once('close', (code) =>
      signal?.aborted
        ? reject(signal.reason as Error)
        : code === 0
          ? resolve(output.join(''))
          : reject(
              new Error(`${script} failed with exit code ${code}:\n${errors.join('')}${output.join('')}`),
            ),
    );
  });
}

/** Whether a service says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
