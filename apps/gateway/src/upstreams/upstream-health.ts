import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { credentialEnabledSchema, EVENT, healthTransitionSchema } from '@tollgate/contracts';
import { type Logger, onEvent } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { startProbes } from './probes.ts';
import { createHealthRegistry, type HealthRegistry } from '../health/registry.ts';
import { shareHealth } from './share-health.ts';
import type { RoutingTable } from '../route/routing-table.ts';

export interface UpstreamHealth {
  /** The name of this gateway among all. */
  readonly self: string;
  readonly registry: HealthRegistry;
  /** Handlers of what other services say, by event. */
  readonly handlers: Readonly<Record<string, (raw: unknown) => void | Promise<void>>>;
  /** Takes over what other gateways know, after events may have been missed. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** What this gateway knows of the upstreams' health, told to the other gateways and to admins. */
export function startUpstreamHealth(parts: {
  readonly port: number;
  /** Which process it is of several behind one port. */
  readonly worker: { readonly number: number; readonly of: number };
  readonly redis: Redis;
  readonly logger: Logger;
  readonly table: () => RoutingTable | undefined;
}): UpstreamHealth {
  const { redis, logger, table } = parts;
  const inProcess = parts.worker.of > 1 ? `${parts.worker.number}-` : '';
  const self = `${hostname()}:${parts.port}/${inProcess}${randomBytes(3).toString('hex')}`;
  let alerts = 0;
  const registry = createHealthRegistry({
    self,
    alert(alert) {
      alerts += 1;
      logger.error(
        { event: 'upstream_credential_refused', alert },
        'an upstream refused a credential: it is not used any more',
      );
    },
  });
  const targets = () => table()?.targets ?? [];
  const sharing = shareHealth({
    self,
    health: registry,
    redis,
    logger,
    alerts: () => alerts,
    targets: () =>
      targets().map(({ client, credential }) => ({
        id: credential.targetId,
        upstream: client.upstream.name,
        credential: credential.name,
      })),
  });
  const probes = startProbes(registry, targets);
  return {
    self,
    registry,
    handlers: {
      [EVENT.upstreamHealth]: onEvent(healthTransitionSchema, sharing.heard),
      [EVENT.credentialEnabled]: onEvent(credentialEnabledSchema, sharing.enabled),
    },
    catchUp: () => sharing.catchUp(),
    async close() {
      await probes.close();
      await sharing.close();
    },
  };
}
