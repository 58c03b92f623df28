import {
  type Catalogue,
  computeCeilings,
  type DiscountIndex,
  findPool,
  type Group,
  indexDiscounts,
  mayUse,
  type Model,
  type Pool,
  type PriceCeilings,
  type PriceSnapshot,
} from '@tollgate/catalogue';
import { parseRatio, type Ratio } from '@tollgate/money';
import type { ServedFeatures } from '@tollgate/protocols';
import {
  COSTLY_FEATURES,
  type Protocol,
  SERVICE_TIERS,
  type Task,
  type TaskFormat,
} from '@tollgate/vocabulary';
import { createHealthRegistry, type HealthRegistry } from '../health/registry.ts';
import {
  type Candidate,
  type CandidateParts,
  findCandidates,
  findRealtimeCandidates,
  findTaskCandidates,
} from './candidates.ts';
import { findExplicitOutput } from './output-limit.ts';
import { createPoolTraffics, type PoolTraffic } from './pool-traffic.ts';
import type { OpenCredential, UpstreamClient } from './upstream-client.ts';

export interface RoutedModel {
  readonly model: Model;
  readonly ceilings: PriceCeilings;
  readonly served: ServedFeatures;
  /** Pictures may be in its answers whether or not the request asks for them. */
  readonly drawsUnasked: boolean;
  /** What works for it at a price of its own: the request itself costs nothing there. */
  readonly imageModels: readonly SecondModel[];
  /** For callers that state no limit of output tokens. */
  readonly maxOutputTokens: number;
  /** The most that an upstream is told in place of what the caller states; 0 where none is. */
  readonly overriddenOutputTokens: number;
  /** The most that a lower limit of a caller is raised to where it is converted, by the caller's protocol. */
  readonly minOutputTokens: ReadonlyMap<Protocol, number>;
  /** By the caller's protocol. */
  readonly candidates: ReadonlyMap<Protocol, readonly Candidate[]>;
  /** Who takes the tasks that it is for, by the format of the caller. */
  readonly tasks: ReadonlyMap<Task, ReadonlyMap<TaskFormat, readonly Candidate[]>>;
  /** Who opens sessions with it. */
  readonly realtime: readonly Candidate[];
}

/** A model that another one has work for it. */
interface SecondModel {
  readonly model: Model;
  readonly ceilings: PriceCeilings;
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
  /** Of the catalogue. */
  readonly hash: string;
  readonly publishedAt: number;
  readonly limits: Catalogue['limits'];
  readonly groups: ReadonlyMap<string, RoutedGroup>;
  /** What the group `auto` tries, in this order. */
  readonly autoGroups: readonly string[];
  readonly discounts: DiscountIndex;
  /** Every upstream with each of its credentials. */
  readonly targets: readonly { readonly client: UpstreamClient; readonly credential: OpenCredential }[];
}

/** What outlives a snapshot. */
export interface TableDependencies {
  readonly health: HealthRegistry;
  readonly traffic: (pool: Pool) => PoolTraffic;
}

export const createTableDependencies = (
  health = createHealthRegistry({ self: 'alone' }),
): TableDependencies => ({
  health,
  traffic: createPoolTraffics(),
});

export function buildRoutingTable(
  snapshot: PriceSnapshot,
  clients: ReadonlyMap<string, UpstreamClient>,
  { health, traffic }: TableDependencies = createTableDependencies(),
): RoutingTable {
  const { catalogue } = snapshot;
  health.update(
    catalogue.pools.map(({ members }) => ({
      targets: members.flatMap(({ upstream }) => {
        const client = clients.get(upstream);
        return client && !client.upstream.disabled ? client.credentials.map(({ targetId }) => targetId) : [];
      }),
    })),
  );
  const served = sharedModels({ clients, health, traffic }, secondModels(catalogue.models));
  const groups = catalogue.groups.map((group): [string, RoutedGroup] => {
    const visible = catalogue.models.filter((model) => mayUse(group, model.name));
    const models = visible.flatMap((model): [string, RoutedModel][] => {
      const pool = findPool(catalogue.pools, group.name, model.name);
      const routed = pool && served(pool, model, group.required_tags);
      return routed && isServed(routed) ? [[model.name, routed]] : [];
    });
    return [group.name, { group, ratio: parseRatio(group.ratio), models: new Map(models) }];
  });
  return {
    version: snapshot.version,
    hash: snapshot.hash,
    publishedAt: Date.parse(snapshot.published_at),
    limits: catalogue.limits,
    groups: new Map(groups),
    autoGroups: catalogue.auto_groups,
    discounts: indexDiscounts(catalogue.discounts),
    targets: [...clients.values()].flatMap((client) =>
      client.credentials.map((credential) => ({ client, credential })),
    ),
  };
}

/** Groups that are served by the same pool and tags share what is worked out. */
function sharedModels(
  parts: CandidateParts,
  findSeconds: (model: Model) => readonly SecondModel[],
): (pool: Pool, model: Model, requiredTags: readonly string[]) => RoutedModel {
  const made = new Map<string, RoutedModel>();
  return (pool, model, requiredTags) => {
    const identity = JSON.stringify([pool.name, model.name, requiredTags]);
    const held = made.get(identity);
    if (held) return held;
    const forAll = { pool, model, requiredTags, parts };
    const routed = routedModel(
      model,
      {
        candidates: findCandidates(forAll),
        tasks: findTaskCandidates(forAll),
        realtime: findRealtimeCandidates(forAll),
      },
      findSeconds(model),
    );
    made.set(identity, routed);
    return routed;
  };
}

/** For upstreams that require a limit of output tokens, where neither the caller nor the catalogue states one. */
const DEFAULT_MAX_TOKENS = 8_192;

/** Finds the models that a model has work for it. */
function secondModels(models: readonly Model[]): (model: Model) => readonly SecondModel[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  return ({ image_models = [] }) =>
    image_models.flatMap((name) => {
      const model = byName.get(name);
      return model ? [{ model, ceilings: computeCeilings({ ...model, request_price: 0 }) }] : [];
    });
}

function routedModel(
  model: Model,
  serving: Pick<RoutedModel, 'candidates' | 'tasks' | 'realtime'>,
  imageModels: readonly SecondModel[],
): RoutedModel {
  const { candidates, tasks } = serving;
  const maxOutputTokens = model.max_output_tokens ?? DEFAULT_MAX_TOKENS;
  const ofTasks = [...tasks.values()].flatMap((byFormat) => [...byFormat.values()]);
  const every = [...candidates.values(), ...ofTasks].flat();
  const overridden = every.map(({ client }) =>
    findExplicitOutput(client.upstream.set_parameters, maxOutputTokens),
  );
  return {
    model,
    ceilings: computeCeilings(model),
    served: listServedFeatures(model, imageModels),
    drawsUnasked: drawsUnasked(model),
    imageModels,
    maxOutputTokens,
    overriddenOutputTokens: Math.max(0, ...overridden),
    minOutputTokens: new Map(
      [...candidates].map(([callers, found]) => {
        const converted = found.filter(({ protocol }) => protocol !== callers);
        return [callers, Math.max(1, ...converted.map(({ dialect }) => dialect.min_output_tokens))];
      }),
    ),
    ...serving,
  };
}

const isServed = ({ candidates, tasks, realtime }: RoutedModel): boolean =>
  candidates.size + tasks.size + realtime.length > 0;

/** What is sold of a model beside its tokens, as the catalogue says. */
function listServedFeatures(
  { features, service_tiers, regions }: Model,
  imageModels: readonly SecondModel[],
): ServedFeatures {
  return {
    free: new Set(COSTLY_FEATURES.filter((feature) => features?.[feature] === 'free')),
    priced: new Set(COSTLY_FEATURES.filter((feature) => features?.[feature] === 'priced')),
    serviceTiers: new Set(
      SERVICE_TIERS.filter((tier) => tier !== 'standard' && service_tiers?.[tier] !== undefined),
    ),
    regions: new Set(Object.keys(regions ?? {})),
    drawingModels: imageModels.map(({ model: { name, context_window, max_output_tokens } }) => ({
      name,
      maxInput: context_window,
      maxOutput: max_output_tokens,
    })),
  };
}

/** Models of Google that draw do so by default: it is seen by what their pictures cost. */
const drawsUnasked = ({ prices, tiers }: Model): boolean =>
  [prices, ...tiers.map((tier) => tier.prices)].some((list) => (list.output_image ?? 0) > (list.output ?? 0));
