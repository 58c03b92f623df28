import type { Redis } from 'ioredis';

const LOOK_MS = 100;
const AWAY_MS = 1_000;

/**
 * Waits for the end of something that needs Redis, such as the closing of a queue. Once Redis has been away for a second it
 * waits no longer: the job is then left as it is, and the queue gives it out again.
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
