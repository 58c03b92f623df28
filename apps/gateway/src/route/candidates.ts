import { computeUpstreamCost, type Model, type Pool, type PoolMember } from '@tollgate/catalogue';
import { CODECS, type Dialect, findDialect } from '@tollgate/protocols';
import { CLIENT_PROTOCOLS, type ClientProtocol, type Protocol, PROTOCOLS } from '@tollgate/vocabulary';
import type { Member } from '../balance/member.ts';
import type { HealthRegistry } from '../health/registry.ts';
import type { Target } from '../health/target.ts';
import type { PoolTraffic } from './pool-traffic.ts';
import type { OpenCredential, UpstreamClient } from './upstream-client.ts';

/** What a pool says of the requests that it serves. */
export interface PoolRules extends Pick<Pool, 'name' | 'strategy' | 'attempts' | 'hedge'> {
  readonly traffic: PoolTraffic;
}

/** One upstream, with one of its credentials, that can serve a model over a protocol. */
export interface Candidate extends Member {
  readonly pool: PoolRules;
  readonly client: UpstreamClient;
  readonly credential: OpenCredential;
  readonly target: Target;
  /** The wire format that it is spoken to in: the caller's where it knows that, else the one nearest to it. */
  readonly protocol: Protocol;
  /** The model's name at this upstream. */
  readonly upstreamModel: string;
  /** What that model takes there. */
  readonly dialect: Dialect;
}

export interface CandidateParts {
  readonly clients: ReadonlyMap<string, UpstreamClient>;
  readonly health: HealthRegistry;
  readonly traffic: (pool: Pool) => PoolTraffic;
}

/** For each format of a caller the formats in which upstreams may be asked, best first. */
const NEAREST = new Map(
  CLIENT_PROTOCOLS.map((callers) => [
    callers,
    new Set<Protocol>([callers, ...CODECS[callers].nearest, ...PROTOCOLS]),
  ]),
);

/** Who of a pool can serve a model, by the caller's protocol; only upstreams with all of the tags. */
export function findCandidates(
  pool: Pool,
  model: Model,
  requiredTags: readonly string[],
  parts: CandidateParts,
): Map<ClientProtocol, readonly Candidate[]> {
  const rules: PoolRules = {
    name: pool.name,
    strategy: pool.strategy,
    attempts: pool.attempts,
    hedge: pool.hedge,
    traffic: parts.traffic(pool),
  };
  const byProtocol = CLIENT_PROTOCOLS.map((callers): [ClientProtocol, Candidate[]] => [
    callers,
    pool.members.flatMap((member) => {
      const client = parts.clients.get(member.upstream);
      const tagged = requiredTags.every((tag) => client?.upstream.tags.includes(tag));
      const mayServe = client !== undefined && !client.upstream.disabled && tagged;
      return mayServe ? membersCandidates(rules, member, model, callers, client, parts.health) : [];
    }),
  ]);
  return new Map(byProtocol.filter(([, candidates]) => candidates.length > 0));
}

function membersCandidates(
  pool: PoolRules,
  member: PoolMember,
  model: Model,
  callers: ClientProtocol,
  client: UpstreamClient,
  health: HealthRegistry,
): Candidate[] {
  const protocol = [...(NEAREST.get(callers) ?? [])].find((each) => client.upstream.protocols.includes(each));
  if (!protocol) return [];
  const weights = client.credentials.reduce((sum, { weight }) => sum + weight, 0);
  const cost = computeUpstreamCost(TYPICAL, model, client.upstream, member);
  const upstreamModel = member.model_map[model.name] ?? model.name;
  const stated = { ...model.dialect, max_output_tokens: model.max_output_tokens };
  const dialect = findDialect(protocol, upstreamModel, stated, client.upstream.dialects?.[protocol]);
  return client.credentials.flatMap((credential): Candidate[] => {
    const target = health.target(credential.targetId);
    if (!target) return [];
    return [
      {
        id: target.id,
        pool,
        client,
        credential,
        target,
        load: target,
        protocol,
        upstreamModel,
        dialect,
        priority: member.priority,
        weight: (member.weight * credential.weight) / weights,
        costPerRequest: cost === null ? undefined : Number(cost),
      },
    ];
  });
}

/** Upstreams are compared by what they would charge for this much, whatever a request really is. */
const TYPICAL = { counts: { input: 3_000, output: 1_000 } };
