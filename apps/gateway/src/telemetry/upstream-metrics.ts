import { AVAILABILITIES } from '@tollgate/contracts';
import { readAtScrape, type Reading } from '@tollgate/platform';
import type { Registry } from 'prom-client';
import type { HealthRegistry } from '../health/registry.ts';
import type { Target } from '../health/target.ts';
import type { PoolTraffic } from '../route/pool-traffic.ts';
import type { RoutingTable } from '../route/routing-table.ts';

type Named = 'upstream' | 'credential';
interface NamedTarget {
  readonly names: Readonly<Record<Named, string>>;
  readonly target: Target;
}

/** What Prometheus is told of upstreams and pools. All of it is read when it asks. */
export function serveUpstreamMetrics(
  registry: Registry,
  table: () => RoutingTable | undefined,
  health: HealthRegistry,
): void {
  const ofTargets = <L extends string>(
    kind: 'counter' | 'gauge',
    name: string,
    help: string,
    labelNames: readonly L[],
    read: (target: Target) => Iterable<Reading<L>>,
  ): void =>
    readAtScrape<Named | L>(
      registry,
      { kind, name, help, labelNames: ['upstream', 'credential', ...labelNames] },
      () =>
        targetsOf(table(), health).flatMap(({ names, target }) =>
          [...read(target)].map(([labels, value]): Reading<Named | L> => [{ ...names, ...labels }, value]),
        ),
    );

  ofTargets('counter', 'tollgate_upstream_attempts_total', 'Attempts that are over', ['outcome'], (target) =>
    Object.entries(target.tally.outcomes).map(([outcome, n]) => [
      { outcome: outcome.replaceAll('-', '_') },
      n,
    ]),
  );
  ofTargets('counter', 'tollgate_upstream_failures_total', 'Failed attempts', ['cause'], ({ tally }) =>
    [...tally.failures].map(([cause, n]) => [{ cause: cause.replaceAll(' ', '_') }, n]),
  );
  ofTargets('counter', 'tollgate_upstream_ejections_total', 'Openings of the breaker here', [], (target) => [
    [{}, target.tally.ejections],
  ]);
  ofTargets(
    'counter',
    'tollgate_upstream_cooldowns_total',
    'Rate limits that made it cool down',
    [],
    (target) => [[{}, target.tally.cooldowns]],
  );
  ofTargets('gauge', 'tollgate_upstream_state', '1 for the state that it is in', ['state'], (target) => {
    const state = target.availability(performance.now());
    return AVAILABILITIES.map((each) => [{ state: each }, each === state ? 1 : 0]);
  });
  ofTargets('gauge', 'tollgate_upstream_requests_in_flight', 'Attempts under way', [], (target) => [
    [{}, target.outstanding],
  ]);
  ofTargets(
    'gauge',
    'tollgate_upstream_latency_seconds',
    'Recent time to the first byte, peaks weighted',
    [],
    (target) => {
      const latencyMs = target.latencyMs(performance.now());
      return latencyMs === undefined ? [] : [[{}, latencyMs / 1_000]];
    },
  );

  const ofPools = (name: string, help: string, read: (traffic: PoolTraffic) => number): void =>
    readAtScrape(registry, { kind: 'counter', name, help, labelNames: ['pool'] }, () =>
      [...poolsOf(table())].map(([pool, traffic]): Reading<'pool'> => [{ pool }, read(traffic)]),
    );
  ofPools('tollgate_pool_requests_total', 'Requests to the pool', ({ budget }) => budget.tally().requests);
  ofPools('tollgate_pool_retries_total', 'Retries and hedges', ({ budget }) => budget.tally().retries);
  ofPools(
    'tollgate_pool_retries_denied_total',
    'Retries that the budget did not allow',
    ({ budget }) => budget.tally().denied,
  );
}

/** Two credentials with the same secret are one target, under the name of the first. */
function targetsOf(table: RoutingTable | undefined, health: HealthRegistry): NamedTarget[] {
  const byId = new Map<string, NamedTarget>();
  for (const { client, credential } of table?.targets ?? []) {
    const target = health.target(credential.targetId);
    if (!target || byId.has(target.id)) continue;
    const names = { upstream: client.upstream.name, credential: credential.name ?? '' };
    byId.set(target.id, { names, target });
  }
  return [...byId.values()];
}

function poolsOf(table: RoutingTable | undefined): Map<string, PoolTraffic> {
  const candidates = [...(table?.groups.values() ?? [])]
    .flatMap(({ models }) => [...models.values()])
    .flatMap((model) => [...model.candidates.values()].flatMap(([first]) => first ?? []));
  return new Map(candidates.map(({ pool }) => [pool.name, pool.traffic]));
}
