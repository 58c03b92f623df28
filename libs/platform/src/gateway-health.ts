import {
  GATEWAY_HEALTH_MS,
  type GatewayHealth,
  gatewayHealthSchema,
  UPSTREAM_HEALTH_REDIS_KEY,
} from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** What the gateways that run wrote last of upstreams; what one that is gone left behind is thrown away. */
export async function readGatewayHealth(redis: Redis): Promise<GatewayHealth[]> {
  const written = await redis.hgetall(UPSTREAM_HEALTH_REDIS_KEY);
  const gateways: GatewayHealth[] = [];
  const gone: string[] = [];
  for (const [name, text] of Object.entries(written)) {
    const parsed = gatewayHealthSchema.safeParse(JSON.parse(text));
    if (!parsed.success || Date.now() - parsed.data.at > GATEWAY_HEALTH_MS) gone.push(name);
    else gateways.push(parsed.data);
  }
  if (gone.length > 0) await redis.hdel(UPSTREAM_HEALTH_REDIS_KEY, ...gone);
  return gateways.sort((a, b) => a.gateway.localeCompare(b.gateway));
}
