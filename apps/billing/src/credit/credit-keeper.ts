import { createCreditScopes } from '@tollgate/limits';
import type { Logger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { createCredit, type Credit } from './credit.ts';
import { createSweep } from './sweep.ts';

const SWEEP_MS = 2_500;
/** What was changed while Redis or this process was away is found at the latest after this. */
const REFRESH_MS = 60_000;

interface CreditKeeper {
  readonly credit: Credit;
  close(): Promise<void>;
}

/** Keeps credit in Redis: sweeps holds, and reads it all again at the start, when Redis comes back, and now and then. */
export function keepCredit(database: DataSource, redis: Redis, logger: Logger): CreditKeeper {
  const scopes = createCreditScopes(redis);
  let refreshedAt = -Infinity;
  const credit = createCredit(
    database,
    scopes,
    (error) => {
      logger.warn(
        { event: 'credit_refresh_failed', reason: error.message },
        'credit in Redis was not refreshed',
      );
      refreshedAt = -Infinity;
    },
    (version) => {
      logger.error(
        { event: 'database_put_back', version },
        'the database was put back; credit in Redis is read again from the books',
      );
      refreshedAt = -Infinity;
    },
  );
  let sweep = createSweep({ database, scopes, credit, logger });
  let running = Promise.resolve();
  let busy = false;

  async function poll(): Promise<void> {
    if (performance.now() - refreshedAt >= REFRESH_MS) {
      refreshedAt = performance.now();
      await credit.refreshAll().catch((error: Error) => {
        refreshedAt = -Infinity;
        throw error;
      });
    }
    await sweep();
  }
  const tick = (): void => {
    if (busy || redis.status !== 'ready') return;
    busy = true;
    running = poll()
      .catch((error: Error) =>
        logger.warn({ event: 'credit_sweep_failed', reason: error.message }, 'credit was not swept'),
      )
      .finally(() => (busy = false));
  };
  const timer = setInterval(tick, SWEEP_MS);
  timer.unref();
  const onReady = (): void => {
    refreshedAt = -Infinity;
    // Gateways that were cut off as well are not missed before they had time to give a sign.
    sweep = createSweep({ database, scopes, credit, logger });
    tick();
  };
  redis.on('ready', onReady);
  tick();

  return {
    credit,
    async close() {
      clearInterval(timer);
      redis.off('ready', onReady);
      await running;
    },
  };
}
