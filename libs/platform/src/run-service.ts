import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from './config.ts';
import { createLogger, LOG_LEVELS } from './logging.ts';

/** What is told to end in order. */
export interface Stoppable {
  /** Not ready from now on, but serving: whoever balances the load finds others, and clients are asked to leave. */
  drain(): void;
  /** Resolves once no request has come for a moment, or after `maxMs`. */
  quiet(maxMs: number): Promise<void>;
  /** @param reason a signal, or why else. */
  stop(reason: string): Promise<void>;
}

/**
 * The whole life of a service process: start, then stop in order on SIGTERM, SIGINT or when the parent that
 * spawned it with an IPC channel is gone. A start that fails says why and exits with 78 (configuration) or 1.
 * After a SIGTERM it goes on serving for `drainS`, so that whoever balances the load learns of it first, and for up to as
 * long again while requests still come.
 */
export async function runService(
  name: string,
  start: () => Promise<{ service: Stoppable; graceS: number; drainS?: number }>,
): Promise<void> {
  const logger = createLogger(name, LOG_LEVELS.find((level) => level === process.env['LOG_LEVEL']) ?? 'info');
  // The first process of a container is deaf to signals that it does not ask for.
  let stop = async (reason: string): Promise<void> => {
    logger.info({ event: 'start_interrupted', reason }, 'the service was stopped before it had started');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (process.send) process.on('disconnect', () => void stop('parent gone'));

  let running: Awaited<ReturnType<typeof start>>;
  try {
    running = await start();
  } catch (error) {
    const fault = error instanceof ConfigError ? error : toAddressFault(error);
    if (fault) process.stderr.write(`${name}: ${fault.message}\n`);
    else logger.fatal({ event: 'start_failed', err: error }, 'the service cannot start');
    process.exit(fault ? 78 : 1);
  }

  let stopping = false;
  stop = async (reason) => {
    if (stopping) return;
    stopping = true;
    logger.info({ event: 'stopping', reason }, 'the service stops');
    const { service, graceS, drainS = 0 } = running;
    service.drain();
    if (reason === 'SIGTERM') {
      await sleep(drainS * 1_000);
      await service.quiet(drainS * 1_000);
    }
    const deadline = setTimeout(() => {
      logger.error({ event: 'stop_overdue' }, 'the service did not stop within the grace period');
      process.exit(1);
    }, graceS * 1_000);
    deadline.unref();
    service.stop(reason).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ event: 'stop_failed', err: error }, 'the service did not stop cleanly');
        process.exit(1);
      },
    );
  };
}

/** Where nothing can listen, whoever else does. A port that is taken now may be free at the next start: that is no fault of these. */
function toAddressFault(error: unknown): ConfigError | undefined {
  const { syscall, code, message, hostname } = error as NodeJS.ErrnoException & {
    readonly hostname?: string;
  };
  if (syscall === 'listen' && code !== 'EADDRINUSE')
    return new ConfigError(`HOST, PORT: it cannot be listened there (${message})`);
  return syscall === 'getaddrinfo' && hostname !== undefined && hostname === process.env['HOST']
    ? new ConfigError(`HOST: no address of this machine has the name ${hostname} (${code})`)
    : undefined;
}

/**
 * The whole life of a program that does one thing and ends. What it returns goes to standard output as its last line; what
 * goes wrong is told in words, with exit code 78 where the settings are at fault and 1 otherwise.
 */
export async function runScript(name: string, run: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await run()}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof Error && !(error instanceof ConfigError))
      process.stderr.write(`\n${String((error.cause as Error | undefined)?.stack ?? error.stack)}\n`);
    process.exit(error instanceof ConfigError ? 78 : 1);
  }
}
