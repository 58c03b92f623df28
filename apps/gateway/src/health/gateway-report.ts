import { GATEWAY_REPORTS_REDIS_KEY, type GatewayReport } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

const WRITE_MS = 2_000;
/** The hash goes away by itself once the last gateway has. */
const KEPT_S = 60;

/** Writes down every few seconds how this gateway is, for the page that shows the whole system. */
export function startGatewayReport(parts: {
  readonly redis: Redis;
  readonly report: () => Omit<GatewayReport, 'at'>;
}): { close(): Promise<void> } {
  const { redis, report } = parts;
  const write = async (): Promise<void> => {
    const said: GatewayReport = { ...report(), at: Date.now() };
    await redis
      .multi()
      .hset(GATEWAY_REPORTS_REDIS_KEY, said.gateway, JSON.stringify(said))
      .expire(GATEWAY_REPORTS_REDIS_KEY, KEPT_S)
      .exec();
  };
  const timer = setInterval(() => void write().catch(() => {}), WRITE_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await redis.hdel(GATEWAY_REPORTS_REDIS_KEY, report().gateway).catch(() => {});
    },
  };
}
