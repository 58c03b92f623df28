import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from './logging.ts';

const RECONNECT_MS = { first: 50, most: 1_000 };

/** Reconnects for ever, soon at first and then once a second. */
export const retryStrategy = (attempt: number): number =>
  Math.min(RECONNECT_MS.first * 2 ** Math.min(attempt, 6), RECONNECT_MS.most);

/**
 * A connection for commands on a request's path: a command fails at once while Redis is away, and after
 * `timeoutMs` when Redis does not answer, so that a caller can fall back instead of hanging.
 */
export function connectRedis(url: string, logger: Logger, options: { timeoutMs?: number } = {}): Redis {
  return open(url, logger, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: options.timeoutMs ?? 1_000,
    connectTimeout: 2_000,
  });
}

/** A connection for a BullMQ worker, whose blocking commands wait as long as they must. */
export function connectRedisForWorker(url: string, logger: Logger): Redis {
  return open(url, logger, { maxRetriesPerRequest: null, connectTimeout: 2_000 });
}

/** A connection for publish/subscribe; it subscribes again by itself after a loss. */
export function connectRedisSubscriber(url: string, logger: Logger): Redis {
  return open(url, logger, { maxRetriesPerRequest: null, connectTimeout: 2_000, autoResubscribe: true });
}

function open(url: string, logger: Logger, options: RedisOptions): Redis {
  const redis = new Redis(url, { keepAlive: 10_000, retryStrategy, ...options, replyMapping: 'legacy' });
  let away = false;
  redis.on('error', (error: Error) => {
    if (!away) logger.warn({ reason: error.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info('Redis is back');
    away = false;
  });
  return redis;
}
