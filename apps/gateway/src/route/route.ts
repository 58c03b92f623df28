import type { Protocol } from '@tollgate/contracts';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { Candidate, RoutedGroup, RoutedModel, RoutingTable } from './routing-table.ts';

export type Route =
  | {
      readonly ok: true;
      readonly group: RoutedGroup;
      readonly model: RoutedModel;
      readonly candidates: readonly Candidate[];
    }
  | { readonly ok: false; readonly error: RelayError };

/**
 * Which upstreams may serve this request, in the order to try them. A model that does not exist and one that the
 * key's group may not see are told apart by nobody outside.
 */
export function route(
  table: RoutingTable,
  wanted: { group: string; model: string; protocol: Protocol },
  random: () => number = Math.random,
): Route {
  const group = table.groups.get(wanted.group);
  if (!group) {
    return refuse(
      'invalid_group',
      `The group "${wanted.group}" of this API key does not exist any more. Move the key to another group.`,
    );
  }
  const model = group.models.get(wanted.model);
  if (!model) {
    return refuse(
      'model_not_found',
      `The model "${wanted.model}" does not exist or is not available to the group "${wanted.group}". GET /v1/models lists those that are.`,
    );
  }
  const candidates = model.candidates.get(wanted.protocol) ?? [];
  return { ok: true, group, model, candidates: inOrder(candidates, random) };
}

/** By priority; within one priority a weighted random order, so that load spreads and the second choice does too. */
export function inOrder(candidates: readonly Candidate[], random: () => number): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  // Efraimidis and Spirakis: sorting by u^(1/w) draws without replacement in proportion to the weights.
  return candidates
    .map((candidate) => ({ candidate, draw: Math.log(1 - random()) / candidate.weight }))
    .sort((a, b) => a.candidate.priority - b.candidate.priority || b.draw - a.draw)
    .map(({ candidate }) => candidate);
}

const refuse = (kind: 'invalid_group' | 'model_not_found', message: string): Route => ({
  ok: false,
  error: relayError(kind, message, { param: kind === 'model_not_found' ? 'model' : null }),
});
