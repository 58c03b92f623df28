import { createCreditScopes } from '@tollgate/limits';
import type { Logger } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { Credit } from '../credit/credit.ts';
import { forgetEnded, giveUpOld, listJobHolds } from './background-jobs.ts';

const HOLDS_MS = 2_500;
const CLEANUP_MS = 600_000;
/** Holds that are looked for together. */
const PAGE = 500;

/**
 * Puts back what jobs hold that Redis has lost: they outlive a Redis that is emptied, and their hold must as well.
 *
 * @returns how many were put back.
 */
export async function restoreHolds(
  database: DataSource,
  redis: Redis,
  credit: Pick<Credit, 'load'>,
): Promise<number> {
  const scopes = createCreditScopes(redis);
  const holds = await listJobHolds(database);
  let restored = 0;
  for (let at = 0; at < holds.length; at += PAGE) {
    const page = holds.slice(at, at + PAGE);
    const there = new Set(
      (await scopes.holdsOf(page.map(({ requestId }) => requestId))).map(({ requestId }) => requestId),
    );
    for (const hold of page.filter(({ requestId }) => !there.has(requestId))) {
      await credit.load(hold.scopes);
      await scopes.restore(hold);
      restored += 1;
    }
  }
  return restored;
}

/** Looks after jobs that nobody polls: their holds, those that never began, and those that ended long ago. */
export function startBackgroundKeeper(parts: {
  readonly database: DataSource;
  readonly redis: Redis;
  readonly credit: Pick<Credit, 'load'>;
  readonly logger: Logger;
}): { stop(): Promise<void> } {
  const { database, redis, credit, logger } = parts;
  let cleanedAt = -Infinity;
  let running: Promise<void> | undefined;

  async function round(): Promise<void> {
    if (redis.status === 'ready') {
      const restored = await restoreHolds(database, redis, credit);
      if (restored > 0)
        logger.warn({ event: 'background_holds_restored', restored }, 'Redis has lost what jobs hold');
    }
    if (performance.now() - cleanedAt < CLEANUP_MS) return;
    cleanedAt = performance.now();
    const givenUp = await giveUpOld(database);
    if (givenUp > 0)
      logger.warn({ event: 'background_never_started', jobs: givenUp }, 'background jobs never began');
    await forgetEnded(database);
  }

  const timer = setInterval(() => {
    running ??= round()
      .catch((error: Error) =>
        logger.warn(
          { event: 'background_keeping_failed', reason: error.message },
          'background jobs were not looked after',
        ),
      )
      .finally(() => (running = undefined));
  }, HOLDS_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
