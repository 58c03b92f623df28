import { AUTO_GROUP, listOperations } from '@tollgate/catalogue';
import { relayError, type RelayError, TASK_CODECS, type TaskForm } from '@tollgate/protocols';
import { findOwn, type OtherOperation, type Protocol } from '@tollgate/vocabulary';
import type { Strategy } from '../balance/member.ts';
import { order } from '../balance/order.ts';
import type { Candidate, PoolRules } from './candidates.ts';
import type { RoutedGroup, RoutedModel, RoutingTable } from './routing-table.ts';

/** A model with those who can serve it to this caller. */
export interface Stage {
  readonly routed: RoutedModel;
  /** At least one, in no order. */
  readonly candidates: readonly Candidate[];
}

type Route =
  | {
      readonly ok: true;
      readonly group: RoutedGroup;
      /** The model that was asked for, and its fallbacks, in this order. */
      readonly stages: readonly [Stage, ...Stage[]];
    }
  | { readonly ok: false; readonly error: RelayError };

/** The group that a request of a key is served and billed under: `auto` is the first that offers the model. */
export function groupFor(table: RoutingTable, group: string, model: string): string {
  if (group !== AUTO_GROUP) return group;
  return table.autoGroups.find((name) => table.groups.get(name)?.models.has(model)) ?? group;
}

/** The fallbacks of a model in a group, as far as they are offered for what is asked. */
export function findFallbacks(
  { group, models }: RoutedGroup,
  model: string,
  task: OtherOperation | undefined,
): readonly RoutedModel[] {
  // A session stays with its model.
  if (task === 'realtime' || (task && !TASK_CODECS[task].mayFallBack)) return [];
  const others = (findOwn(group.fallbacks, model) ?? []).flatMap((name) => models.get(name) ?? []);
  return others.filter((other) => listOperations(other.model).includes(task ?? 'generate'));
}

/**
 * Finds the upstreams that may serve this request. Callers cannot tell a model that does not exist from one that their
 * key's group may not use.
 */
export function route(
  table: RoutingTable,
  params: { group: string; model: string; protocol: Protocol; task?: TaskForm | undefined },
): Route {
  const { model, protocol, task } = params;
  const group = table.groups.get(params.group);
  if (!group && params.group !== AUTO_GROUP) {
    return refuse(
      'invalid_group',
      `The group "${params.group}" of this API key does not exist any more. Move the key to another group.`,
    );
  }
  const routed = group?.models.get(model);
  if (!group || !routed) {
    return refuse(
      'model_not_found',
      `The model "${model}" does not exist or is not available to the group "${params.group}". GET /v1/models lists those that are.`,
    );
  }
  const stageOf = (each: RoutedModel): Stage => ({
    routed: each,
    candidates: (task ? each.tasks.get(task.task)?.get(task.format) : each.candidates.get(protocol)) ?? [],
  });
  return {
    ok: true,
    group,
    stages: [stageOf(routed), ...findFallbacks(group, model, task?.task).map(stageOf)],
  };
}

/** What a pool keeps together, of one request. */
export interface StickyKeys {
  readonly keyId: string;
  readonly prompt: () => string;
}

/** The order in which to try candidates of one pool; all that are not ready, when none is. */
export function inOrder(
  candidates: readonly Candidate[],
  sticky: StickyKeys,
  random: () => number = Math.random,
): Candidate[] {
  const pool = candidates[0]?.pool;
  if (!pool) return [];
  const key = stickyKey(pool, sticky);
  return order(candidates, STRATEGY[pool.strategy], {
    now: performance.now(),
    random,
    ...(key === undefined ? {} : { key }),
  });
}

const STRATEGY: Readonly<Record<PoolRules['strategy'], Strategy>> = {
  weighted: 'weighted',
  'least-outstanding': 'least-outstanding',
  latency: 'latency',
  cheapest: 'cheapest',
  'sticky-key': 'sticky',
  'sticky-prompt': 'sticky',
};

function stickyKey({ strategy }: PoolRules, { keyId, prompt }: StickyKeys): string | undefined {
  if (strategy === 'sticky-key') return keyId;
  return strategy === 'sticky-prompt' ? prompt() : undefined;
}

const refuse = (kind: 'invalid_group' | 'model_not_found', message: string): Route => ({
  ok: false,
  error: relayError(kind, message, { param: kind === 'model_not_found' ? 'model' : null }),
});
