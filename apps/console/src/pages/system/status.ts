import type { GatewayState, System } from '../../api/system.ts';

/** `off` are books that do not add up: what keeps them runs. */
export type PartStatus = 'up' | 'down' | 'warn' | 'off';

/** How the books were at the last audit. */
export const findAuditStatus = (audit: System['audit']): PartStatus =>
  audit === null ? 'warn' : audit.difference_count === 0 ? 'up' : 'off';

/** Events that can never be posted need a person. */
export const findQueueStatus = ({ queue, postgres }: Pick<System, 'queue' | 'postgres'>): PartStatus => {
  if (!queue.up) return 'down';
  return (queue.state?.failed ?? 0) > 0 || (postgres.state?.rejected_events ?? 0) > 0 ? 'warn' : 'up';
};

/** A gateway that serves older prices than what is published. */
export const isBehind = (gateway: GatewayState, published: number | undefined): boolean =>
  published !== undefined && gateway.snapshot_version !== published;

/** Whether anything needs a person. */
export function isWell(system: System): boolean {
  const published = system.pricing.state?.version;
  return (
    system.pricing.up &&
    system.postgres.up &&
    system.redis.up &&
    (system.gateways.state ?? []).length > 0 &&
    !(system.gateways.state ?? []).some((gateway) => isBehind(gateway, published)) &&
    findQueueStatus(system) === 'up' &&
    findAuditStatus(system.audit) === 'up'
  );
}
