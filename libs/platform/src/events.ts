import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Logger } from './logging.ts';
import { connectRedisSubscriber } from './redis.ts';

const HEARTBEAT_MS = 250;
const STALE_AFTER_MS = 900;

/** Tells every replica of every service that listens; nobody listening is no error. */
export async function publishEvent(redis: Redis, event: string, payload: object): Promise<void> {
  await redis.publish(event, JSON.stringify(payload));
}

/** Ties a schema to the handler of its payload; a payload of another shape is passed over. */
export const onEvent =
  <T>(schema: z.ZodType<T>, handle: (payload: T) => void | Promise<void>) =>
  (raw: unknown): void | Promise<void> => {
    const parsed = schema.safeParse(raw);
    return parsed.success ? handle(parsed.data) : undefined;
  };

export interface EventSubscription {
  /**
   * Whether an event published now would be heard: the connection answered a ping less than a second ago. What
   * was cached while this was false must be checked again.
   */
  fresh(): boolean;
  close(): void;
}

/**
 * Listens to events. Publish/subscribe forgets: what was published during a loss is not delivered later, so
 * `onGap` is called at every (re)connection, for the caller to drop or reload what it holds.
 */
export function subscribeEvents(
  url: string,
  logger: Logger,
  handlers: Record<string, (raw: unknown) => void | Promise<void>>,
  onGap: () => void = () => {},
): EventSubscription {
  const redis = connectRedisSubscriber(url, logger);
  let answeredAt = -Infinity;

  redis.on('ready', () => {
    redis
      .subscribe(...Object.keys(handlers))
      .then(() => {
        answeredAt = performance.now();
        onGap();
      })
      .catch((error: Error) =>
        logger.warn(
          { event: 'subscribe_failed', reason: error.message },
          'the service cannot subscribe to events',
        ),
      );
  });
  redis.on('close', () => (answeredAt = -Infinity));
  redis.on('message', (channel: string, message: string) => {
    Promise.try(() => handlers[channel]?.(JSON.parse(message))).catch((error: Error) =>
      logger.error(
        { event: 'event_handler_failed', channel, reason: error.message },
        'an event could not be handled',
      ),
    );
  });

  const heartbeat = setInterval(() => {
    if (redis.status !== 'ready') return;
    const sentAt = performance.now();
    redis.ping().then(
      () => (answeredAt = answeredAt === -Infinity ? answeredAt : Math.max(answeredAt, sentAt)),
      () => {},
    );
  }, HEARTBEAT_MS);
  heartbeat.unref();

  return {
    fresh: () => performance.now() - answeredAt < STALE_AFTER_MS,
    close: () => {
      clearInterval(heartbeat);
      redis.disconnect();
    },
  };
}
