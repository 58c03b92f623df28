import {
  type Catalogue,
  type Group,
  type Model,
  type Pool,
  type PoolMember,
  type PriceSnapshot,
  type Protocol,
  PROTOCOLS,
} from '@tollgate/contracts';
import { parseRatio, type Ratio } from '@tollgate/money';
import { type Discounts, discountsOf, type PriceCeilings, priceCeilings } from './price-ceiling.ts';
import type { UpstreamClient } from './upstream-clients.ts';

/** One upstream that can serve a model over a protocol. */
export interface Candidate {
  readonly pool: string;
  readonly client: UpstreamClient;
  /** The wire format that it is spoken to in: the caller's where it knows that, else the one nearest to it. */
  readonly protocol: Protocol;
  /** The model's name at this upstream. */
  readonly upstreamModel: string;
  /** Lower is tried first. */
  readonly priority: number;
  readonly weight: number;
}

export interface RoutedModel {
  readonly model: Model;
  readonly ceilings: PriceCeilings;
  /** For callers that state no limit of output tokens. */
  readonly maxOutputTokens: number;
  /** By the caller's protocol. */
  readonly candidates: ReadonlyMap<Protocol, readonly Candidate[]>;
}

export interface RoutedGroup {
  readonly group: Group;
  readonly ratio: Ratio;
  /** Only what keys of this group may use and some upstream serves. */
  readonly models: ReadonlyMap<string, RoutedModel>;
}

/** A price snapshot made ready for look-ups: everything that depends on it alone is worked out here, once. */
export interface RoutingTable {
  readonly version: number;
  readonly publishedAt: number;
  readonly limits: Catalogue['limits'];
  readonly groups: ReadonlyMap<string, RoutedGroup>;
  readonly discounts: Discounts;
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
      return candidates.size === 0 ? [] : [[model.name, routedModel(model, candidates)]];
    });
    return [group.name, { group, ratio: parseRatio(group.ratio), models: new Map(models) }];
  });
  return {
    version: snapshot.version,
    publishedAt: Date.parse(snapshot.published_at),
    limits: catalogue.limits,
    groups: new Map(groups),
    discounts: discountsOf(catalogue),
  };
}

/** For upstreams that require a limit of output tokens, where neither the caller nor the catalogue states one. */
const DEFAULT_MAX_TOKENS = 8_192;

const routedModel = (model: Model, candidates: RoutedModel['candidates']): RoutedModel => ({
  model,
  ceilings: priceCeilings(model),
  maxOutputTokens: model.max_output_tokens ?? DEFAULT_MAX_TOKENS,
  candidates,
});

const includes = (names: readonly string[], name: string) => names.includes('*') || names.includes(name);

const serves = (pool: Pool, group: string, model: string) =>
  includes(pool.groups, group) && includes(pool.models, model);

/** Which format carries the most of another, best first. */
const NEAREST: Readonly<Record<Protocol, readonly Protocol[]>> = {
  'openai-chat': ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
  'openai-responses': ['openai-responses', 'openai-chat', 'anthropic-messages', 'gemini'],
  'anthropic-messages': ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'],
  gemini: ['gemini', 'openai-chat', 'openai-responses', 'anthropic-messages'],
};

function candidatesOf(
  pool: Pool,
  model: string,
  clients: ReadonlyMap<string, UpstreamClient>,
): Map<Protocol, Candidate[]> {
  const byProtocol = PROTOCOLS.map((protocol): [Protocol, Candidate[]] => [
    protocol,
    pool.members.flatMap((member) =>
      candidateOf(pool.name, member, model, protocol, clients.get(member.upstream)),
    ),
  ]);
  return new Map(byProtocol.filter(([, candidates]) => candidates.length > 0));
}

function candidateOf(
  pool: string,
  member: PoolMember,
  model: string,
  callers: Protocol,
  client: UpstreamClient | undefined,
): Candidate[] {
  const protocol = NEAREST[callers].find((each) => client?.upstream.protocols.includes(each));
  if (!client || !protocol) return [];
  const upstreamModel = member.model_map[model] ?? model;
  return [{ pool, client, protocol, upstreamModel, priority: member.priority, weight: member.weight }];
}
