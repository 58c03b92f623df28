import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tollgate/platform/process';
import { createGathering } from './gather-pages.ts';
import { killWhenStuck } from './kill-when-stuck.ts';
import type { ToSupervisor } from './messages.ts';
import { renderWorkerArguments, type Worker } from './worker.ts';

const RESTART_MS = { initial: 250, max: 5_000 };
/** A process that ran this long was healthy: the next crash is a first one. */
const HEALTHY_MS = 30_000;

/** Processes that are one gateway, as the process that started them knows them. */
export interface Supervised {
  readonly pids: () => readonly number[];
  /**
   * Tells all of them to stop as this process was told, and waits until they have; those that have not after `killAfterMs`
   * are killed. @throws where one did not end in order.
   */
  stop(reason: string): Promise<void>;
}

interface SuperviseOptions {
  /** The program of each process; it learns which worker it is from its arguments, see `parseWorker`, and answers with `listening`. */
  readonly script: string;
  readonly processes: number;
  /** Variables that differ from those of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly killAfterMs: number;
  /** How often each is asked whether it still turns. */
  readonly pingEveryMs: number;
  readonly logger: Logger;
}

/**
 * Starts the processes of a gateway, and each of them again when it ends without being asked to or hangs. Resolves when
 * all take requests. Requests never pass this process: it does nothing else, so that nothing ends it but a kill.
 *
 * @throws when one ends before all have started; then the others are stopped.
 */
export async function supervise(options: SuperviseOptions): Promise<Supervised> {
  const { logger, processes } = options;
  const children = new Map<number, ChildProcess>();
  const gathering = createGathering(() => [...children.values()]);
  let stopping = false;

  function launch(worker: Worker): ChildProcess {
    const child = fork(options.script, renderWorkerArguments(worker), {
      env: { ...process.env, ...options.env },
    });
    children.set(worker.number, child);
    child.on('message', (message: ToSupervisor) => gathering.receive(child, message));
    killWhenStuck(child, options.pingEveryMs, () =>
      logger.error(
        { event: 'worker_stuck', process: worker.number },
        'a process answers no pings and is killed',
      ),
    );
    // That it could not be started, or told something, shows in that it ends.
    child.on('error', ({ message }) =>
      logger.warn(
        { event: 'worker_error', reason: message, process: worker.number },
        'a process could not be started or sent a message',
      ),
    );
    return child;
  }

  async function keepRunning(worker: Worker, first: ChildProcess): Promise<void> {
    let child = first;
    for (let crashes = 0; ;) {
      const startedAt = performance.now();
      const how = await endOf(child);
      if (stopping) return;
      crashes = performance.now() - startedAt > HEALTHY_MS ? 1 : crashes + 1;
      const restartInMs = Math.min(RESTART_MS.max, RESTART_MS.initial * 2 ** (crashes - 1));
      logger.error(
        { event: 'worker_ended', process: worker.number, how, restart_in_ms: restartInMs },
        'a process ended',
      );
      await sleep(restartInMs);
      if (stopping) return;
      child = launch(worker);
    }
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    stopping = true;
    const running = [...children].filter(([, child]) => isRunning(child));
    const kill = (how: NodeJS.Signals) => running.forEach(([, child]) => void child.kill(how));
    const timer = setTimeout(() => kill('SIGKILL'), options.killAfterMs);
    kill(signal);
    const ends = await Promise.all(
      running.map(async ([number, child]) => ({ number, how: await endOf(child) })),
    );
    clearTimeout(timer);
    // One that had only just begun does not know of signals yet.
    const wrong = ends.filter(({ how }) => how !== 'exit code 0' && how !== signal);
    if (wrong.length > 0)
      throw new Error(wrong.map(({ number, how }) => `process ${number} ended with ${how}`).join(', '));
  }

  const workers = Array.from({ length: processes }, (_, index) => ({ number: index + 1, of: processes }));
  const started = workers.map((worker) => ({ worker, child: launch(worker) }));
  try {
    await Promise.all(started.map(({ worker, child }) => untilListening(worker, child)));
  } catch (error) {
    await stop('SIGINT').catch(() => {});
    throw error;
  }
  for (const { worker, child } of started) void keepRunning(worker, child);

  return {
    pids: () => [...children.values()].flatMap(({ pid }) => pid ?? []),
    stop: (reason) => stop(reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT'),
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

/** How a process ended, once it has; also one that never began. */
function endOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const look = () => {
    if (!isRunning(child)) resolve(child.signalCode ?? `exit code ${child.exitCode}`);
  };
  child.on('exit', look).on('error', look);
  look();
  return promise;
}

async function untilListening({ number }: Worker, child: ChildProcess): Promise<void> {
  const { promise: listening, resolve } = Promise.withResolvers<undefined>();
  child.on('message', ({ kind }: ToSupervisor) => {
    if (kind === 'listening') resolve(undefined);
  });
  const how = await Promise.race([listening, endOf(child)]);
  if (how !== undefined) throw new Error(`process ${number} ended with ${how} before it had started`);
}
