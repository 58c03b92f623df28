import type { Upstream } from '@tollgate/catalogue';
import { AVAILABILITIES, type GatewayHealth, type TargetHealth } from '@tollgate/contracts';

/** Every upstream and credential of the catalogue, with what each gateway knows of it. */
export const toHealthView = (upstreams: readonly Upstream[], gateways: readonly GatewayHealth[]) => ({
  gateways: gateways.map(({ gateway, at, credential_alerts }) => ({
    gateway,
    seen_at: new Date(at).toISOString(),
    credential_alerts,
  })),
  upstreams: upstreams.flatMap((upstream) => {
    const credentials = upstream.credentials.length > 0 ? upstream.credentials : [null];
    return credentials.map((credential) => {
      const views = gateways.flatMap(({ gateway, targets }) =>
        targets
          .filter(
            (target) => target.upstream === upstream.name && target.credential === (credential?.name ?? null),
          )
          .map((target) => ({ gateway, target })),
      );
      return {
        upstream: upstream.name,
        credential: credential?.name ?? null,
        // The worst that a gateway found.
        state:
          AVAILABILITIES.find((state) => views.some(({ target }) => target.availability === state)) ??
          ('unknown' as const),
        outstanding: views.reduce((sum, { target }) => sum + target.outstanding, 0),
        gateways: views.map(({ gateway, target }) => ({ gateway, ...shown(target) })),
      };
    });
  }),
});

const shown = (target: TargetHealth) => ({
  state: target.availability,
  breaker: target.state,
  since: toTime(target.since),
  ejected_until: toTime(target.until),
  cooling_down_until: toTime(target.coolingDownUntil),
  disabled_since: toTime(target.disabledSince),
  failure_rate: Math.round(target.failureRate * 1_000) / 1_000,
  requests: target.volume,
  latency_ms: target.latencyMs === null ? null : Math.round(target.latencyMs),
  outstanding: target.outstanding,
  last_error: target.lastError && {
    at: new Date(target.lastError.at).toISOString(),
    reason: target.lastError.reason,
  },
});

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
