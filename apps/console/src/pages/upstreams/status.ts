import type { Pool, Upstream } from '../../api/catalogue.ts';
import type { GatewayView, Target, TargetState } from '../../api/upstreams.ts';

export type UpstreamStatus = TargetState | 'off' | 'partly' | 'recovering';

/** How an upstream is over all of its credentials and gateways. */
export function findUpstreamStatus(
  upstream: Pick<Upstream, 'name' | 'disabled'>,
  targets: readonly Target[],
): UpstreamStatus {
  if (upstream.disabled === true) return 'off';
  const states = targets.filter((target) => target.upstream === upstream.name).map(findTargetStatus);
  // A credential whose turn has not come yet takes nothing away from the others.
  const known = states.filter((state) => state !== 'unknown');
  const [first] = known;
  if (first === undefined) return 'unknown';
  if (known.every((state) => state === first)) return first;
  return known.includes('ready') ? 'partly' : first;
}

/** How an upstream is with one credential: it is ready once a gateway has had an answer, and not before. */
export function findTargetStatus({ state, gateways }: Target): Exclude<UpstreamStatus, 'off' | 'partly'> {
  if (state !== 'ready') return state;
  if (gateways.some(({ breaker }) => breaker !== 'closed')) return 'recovering';
  const isAnswered = gateways.some(
    ({ latency_ms, requests, failure_rate }) => latency_ms !== null || (requests > 0 && failure_rate < 1),
  );
  return isAnswered ? 'ready' : 'unknown';
}

/** Of what all gateways saw: failures weigh by requests, latency by its mean; null where nothing is known. */
export function computeFigures(views: readonly GatewayView[]): {
  readonly requests: number;
  readonly failurePercent: number | null;
  readonly latencyMs: number | null;
} {
  const requests = views.reduce((sum, view) => sum + view.requests, 0);
  const failures = views.reduce((sum, view) => sum + view.requests * view.failure_rate, 0);
  const latencies = views.flatMap(({ latency_ms: ms }) => (ms === null ? [] : [ms]));
  return {
    requests,
    failurePercent: requests === 0 ? null : Math.round((failures / requests) * 1_000) / 10,
    latencyMs:
      latencies.length === 0
        ? null
        : Math.round(latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length),
  };
}

interface TierMember {
  readonly upstream: string;
  /** The share of requests within the tier, in percent. */
  readonly percent: number;
}

interface Tier {
  /** The number that its members are given. */
  readonly priority: number;
  readonly members: readonly TierMember[];
}

/** The members of a pool by the order in which they are tried, with their shares. */
export function toTiers({ members }: Pick<Pool, 'members'>): readonly Tier[] {
  const priorities = [...new Set(members.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.map((priority) => {
    const tier = members.filter((member) => member.priority === priority);
    const sum = tier.reduce((total, { weight }) => total + weight, 0);
    return {
      priority,
      members: tier.map(({ upstream, weight }) => ({
        upstream,
        percent: Math.round((weight / sum) * 1_000) / 10,
      })),
    };
  });
}
