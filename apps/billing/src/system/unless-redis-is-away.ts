import type { Redis } from 'ioredis';

const LOOK_MS = 100;
const AWAY_MS = 1_000;

/**
 * Waits for something that needs Redis to end, such as the closing of a queue, but not for a Redis that has been away for a
 * second: what it cannot be told is left, and a queue gives it out again.
 */
export async function unlessRedisIsAway(redis: Redis, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  const away = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      looks = redis.status === 'ready' ? 0 : looks + 1;
      if (looks * LOOK_MS >= AWAY_MS) resolve();
    }, LOOK_MS);
  });
  try {
    await Promise.race([work, away]);
  } finally {
    clearInterval(timer);
  }
}
