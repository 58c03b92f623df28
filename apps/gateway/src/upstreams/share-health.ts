import {
  type CredentialEnabled,
  EVENT,
  GATEWAY_HEALTH_MS,
  type GatewayHealth,
  gatewayHealthSchema,
  type TargetHealth,
  UPSTREAM_HEALTH_REDIS_KEY,
} from '@tollgate/contracts';
import { type Logger, publishEvent } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { HealthRegistry } from '../health/registry.ts';
import type { Transition } from '../health/transition.ts';

const WRITE_MS = 2_000;
/** The hash goes away by itself once the last gateway has. */
const KEPT_S = 60;

/** A target by the names that admins know it by. */
interface NamedTarget {
  readonly id: string;
  readonly upstream: string;
  readonly credential: string | null;
}

export interface HealthSharing {
  /** Another gateway decided something. */
  heard(transition: Transition): void;
  /** An admin lets a credential be used again. */
  enabled(event: CredentialEnabled): void;
  /** Takes over what the others know, after events may have been missed. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** Tells the other gateways what this one decides about upstreams, and shows admins what it knows. */
export function shareHealth(parts: {
  readonly self: string;
  readonly health: HealthRegistry;
  readonly targets: () => readonly NamedTarget[];
  /** Credentials that this gateway found refused. */
  readonly alerts: () => number;
  readonly redis: Redis;
  readonly logger: Logger;
}): HealthSharing {
  const { self, health, targets, alerts, redis, logger } = parts;

  const tell = (transition: Transition): void => {
    logger.info({ event: 'upstream_health_changed', transition }, 'the health of an upstream changed');
    publishEvent(redis, EVENT.upstreamHealth, transition).catch((error: Error) =>
      logger.warn(
        { event: 'upstream_health_unshared', reason: error.message },
        'other gateways were not told about an upstream',
      ),
    );
  };

  function view(): GatewayHealth {
    const names = new Map(targets().map((target) => [target.id, target]));
    return {
      gateway: self,
      at: Date.now(),
      credential_alerts: alerts(),
      targets: health.view().flatMap((target): TargetHealth[] => {
        const named = names.get(target.id);
        return named ? [{ ...target, upstream: named.upstream, credential: named.credential }] : [];
      }),
    };
  }

  async function write(): Promise<void> {
    await redis
      .multi()
      .hset(UPSTREAM_HEALTH_REDIS_KEY, self, JSON.stringify(view()))
      .expire(UPSTREAM_HEALTH_REDIS_KEY, KEPT_S)
      .exec();
  }

  const silence = health.changes(tell);
  const timer = setInterval(() => void write().catch(() => {}), WRITE_MS);
  timer.unref();

  return {
    heard: (transition) => void health.applyRemote(transition),
    enabled({ upstream, credential, by }) {
      for (const target of targets()) {
        if (target.upstream === upstream && target.credential === credential)
          health.target(target.id)?.enable(`enabled by ${by}`);
      }
    },
    async catchUp() {
      try {
        const views = await redis.hgetall(UPSTREAM_HEALTH_REDIS_KEY);
        for (const text of Object.values(views)) {
          const parsed = gatewayHealthSchema.safeParse(JSON.parse(text));
          if (parsed.success && Date.now() - parsed.data.at < GATEWAY_HEALTH_MS)
            for (const transition of transitionsOf(parsed.data)) health.applyRemote(transition);
        }
      } catch (error) {
        logger.warn(
          { event: 'upstream_health_read_failed', reason: (error as Error).message },
          'what other gateways know of upstreams was not read',
        );
      }
    },
    async close() {
      clearInterval(timer);
      silence();
      await redis.hdel(UPSTREAM_HEALTH_REDIS_KEY, self).catch(() => {});
    },
  };
}

/** The decisions that a view tells of, as they were told when they were made. */
function transitionsOf({ gateway: by, at: seenAt, targets }: GatewayHealth): Transition[] {
  return targets.flatMap(({ id, state, since, until, coolingDownUntil, disabledSince, lastError }) => {
    const reason = lastError?.reason ?? 'known to another gateway';
    const found: Transition[] = [];
    if (coolingDownUntil !== null)
      found.push({ id, state: 'cooling_down', until: coolingDownUntil, reason, at: seenAt, by });
    if (disabledSince !== null)
      found.push({ id, state: 'disabled', until: null, reason, at: disabledSince, by });
    if (state === 'open' && until !== null)
      found.push({ id, state: 'open', until, reason, at: since ?? seenAt, by });
    return found;
  });
}
