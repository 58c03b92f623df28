import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import {
  EVENT,
  GATEWAY_HEALTH_MS,
  type GatewayHealth,
  gatewayHealthSchema,
  type Session,
  UPSTREAM_HEALTH_REDIS_KEY,
} from '@tollgate/contracts';
import { Caller, Handles, httpError, Input, publishEvent, unavailable } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { REDIS } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { toHealthView } from './health-view.ts';

/** How the upstreams are, as the gateways know it. */
@Controller()
export class UpstreamHealthController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Handles(upstreams.showHealth)
  async health() {
    const snapshot = await this.snapshots.current();
    const gateways = await this.#orAway(readGateways(this.redis));
    return toHealthView(snapshot?.catalogue.upstreams ?? [], gateways);
  }

  @Handles(upstreams.enableCredential)
  async enable(@Input() { params }: RequestOf<typeof upstreams.enableCredential>, @Caller() caller: Session) {
    const { name: upstream, credential } = params;
    const snapshot = await this.snapshots.current();
    const known = snapshot?.catalogue.upstreams.find(({ name }) => name === upstream);
    if (!known?.credentials.some(({ name }) => name === credential))
      throw httpError(404, `There is no credential "${credential}" of an upstream "${upstream}".`);
    await this.#orAway(
      publishEvent(this.redis, EVENT.credentialEnabled, { upstream, credential, by: caller.email }),
    );
    return { upstream, credential, enabled: true as const };
  }

  async #orAway<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw unavailable(
        'Gateways cannot be asked at the moment: Redis does not answer. Try again shortly.',
        error,
      );
    }
  }
}

/** What the gateways that run wrote last; what one that is gone left behind is thrown away. */
async function readGateways(redis: Redis): Promise<GatewayHealth[]> {
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
