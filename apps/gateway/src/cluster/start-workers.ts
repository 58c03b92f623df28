import { ConfigError, createLogger, type Stoppable } from '@tollgate/platform/process';
import type { GatewayConfig } from '../config.ts';
import { canShareAPort } from './worker.ts';
import { spoolRoot } from './spool-directory.ts';
import { reservePort } from './reserve-port.ts';
import { supervise } from './supervise.ts';

/** Once a process should have ended by itself, it has so much longer. */
const SLACK_S = 5;
const PING_EVERY_MS = 5_000;

/**
 * Starts a gateway of several processes behind its port.
 *
 * @param script the program of each of them.
 * @throws ConfigError where the system cannot share a port, or the spool cannot be written to.
 */
export async function startWorkers(
  config: GatewayConfig,
  processes: number,
  script: string,
): Promise<{ service: Stoppable; graceS: number }> {
  if (!canShareAPort())
    throw new ConfigError(`GATEWAY_PROCESSES: ${process.platform} cannot share a port between processes`);
  // Each process finds it out too, but only this one can say it once.
  await spoolRoot(config.SPOOL_DIR);
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const port = await reservePort(config.HOST, config.PORT);
  const maxS = 2 * config.DRAIN_S + config.SHUTDOWN_GRACE_S + SLACK_S;
  const supervised = await supervise({
    script,
    processes,
    env: { PORT: String(port) },
    killAfterMs: maxS * 1_000,
    pingEveryMs: PING_EVERY_MS,
    logger,
  });
  logger.info({ event: 'workers_listening', port, processes: supervised.pids() }, 'all processes listen');
  return {
    // Each process drains by itself, as soon as it is told to stop.
    service: { drain: () => {}, quiet: () => Promise.resolve(), stop: (reason) => supervised.stop(reason) },
    graceS: maxS + SLACK_S,
  };
}
