import type { Catalogue, Group, Model, Pool, PoolMember, PriceSnapshot, Protocol } from '@tollgate/contracts';
import type { UpstreamClient } from './upstream-clients.ts';

/** One upstream that can serve a model over a protocol. */
export interface Candidate {
  readonly client: UpstreamClient;
  /** The model's name at this upstream. */
  readonly upstreamModel: string;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
}

export interface RoutedModel {
  readonly model: Model;
  /** Protocols that no upstream of the pool speaks are absent. */
  readonly candidates: ReadonlyMap<Protocol, readonly Candidate[]>;
}

export interface RoutedGroup {
  readonly group: Group;
  /** Only what keys of this group may use and some upstream serves. */
  readonly models: ReadonlyMap<string, RoutedModel>;
}

/** A price snapshot made ready for look-ups: everything that depends on it alone is worked out here, once. */
export interface RoutingTable {
  readonly version: number;
  readonly publishedAt: number;
  readonly limits: Catalogue['limits'];
  readonly groups: ReadonlyMap<string, RoutedGroup>;
}

export function buildRoutingTable(
  snapshot: PriceSnapshot,
  clients: ReadonlyMap<string, UpstreamClient>,
): RoutingTable {
  const { catalogue } = snapshot;
  const groups = catalogue.groups.map((group): [string, RoutedGroup] => {
    const visible = catalogue.models.filter((model) => includes(group.models, model.name));
    const models = visible.flatMap((model): [string, RoutedModel][] => {
      const pool = catalogue.pools.find((each) => serves(each, group.name, model.name));
      const candidates = pool ? candidatesOf(pool, model.name, clients) : new Map();
      return candidates.size === 0 ? [] : [[model.name, { model, candidates }]];
    });
    return [group.name, { group, models: new Map(models) }];
  });
  return {
    version: snapshot.version,
    publishedAt: Date.parse(snapshot.published_at),
    limits: catalogue.limits,
    groups: new Map(groups),
  };
}

const includes = (names: readonly string[], name: string) => names.includes('*') || names.includes(name);

const serves = (pool: Pool, group: string, model: string) =>
  includes(pool.groups, group) && includes(pool.models, model);

function candidatesOf(
  pool: Pool,
  model: string,
  clients: ReadonlyMap<string, UpstreamClient>,
): Map<Protocol, Candidate[]> {
  const byProtocol = new Map<Protocol, Candidate[]>();
  for (const member of pool.members) {
    const client = clients.get(member.upstream);
    if (!client) continue;
    const candidate = candidateOf(member, model, client);
    for (const protocol of client.upstream.protocols) {
      byProtocol.set(protocol, [...(byProtocol.get(protocol) ?? []), candidate]);
    }
  }
  return byProtocol;
}

const candidateOf = (member: PoolMember, model: string, client: UpstreamClient): Candidate => ({
  client,
  upstreamModel: member.model_map[model] ?? model,
  priority: member.priority,
  weight: member.weight,
});
