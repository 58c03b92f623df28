import type { KeyRecord } from '@tollgate/contracts';
import { listOperations } from '@tollgate/catalogue';
import { relayError, type RelayError, type TaskForm } from '@tollgate/protocols';
import { type ModelOperation, OPERATION_NAMES } from '@tollgate/vocabulary';
import { restrictTable } from '../route/visible-models.ts';
import { groupFor } from '../route/route.ts';
import type { RoutedModel, RoutingTable } from '../route/routing-table.ts';
import { NO_PRICES } from './not-ready.ts';

type Prices =
  | {
      readonly ok: true;
      /** The models that the key may use. */
      readonly table: RoutingTable;
      /** In the group that the request is served and billed under. */
      readonly key: KeyRecord;
    }
  | { readonly ok: false; readonly error: RelayError };

/** The prices that hold for a request from here to its end, whatever is published meanwhile. */
export function selectPrices(
  loaded: RoutingTable | undefined,
  caller: KeyRecord,
  model: string,
  task: TaskForm | undefined,
): Prices {
  if (!loaded) return { ok: false, error: NO_PRICES };
  const table = restrictTable(loaded, caller);
  const group = groupFor(table, caller.group, model);
  const routed = table.groups.get(group)?.models.get(model);
  const refusal = routed && refuseOperation(routed, task);
  if (refusal) return { ok: false, error: refusal };
  return { ok: true, table, key: caller.group === group ? caller : { ...caller, group } };
}

/**
 * The prices that hold for a part of a session from here to its end.
 *
 * @param isOwn the session is one with this model; else that works in one, whatever it is for.
 */
export function selectSessionPrices(
  loaded: RoutingTable | undefined,
  caller: KeyRecord,
  model: string,
  isOwn: boolean,
): Prices {
  if (!loaded) return { ok: false, error: NO_PRICES };
  const table = restrictTable(loaded, caller);
  const group = groupFor(table, caller.group, model);
  const routed = table.groups.get(group)?.models.get(model);
  if (!routed) return refuseModel(model, 'does not exist or is not available to this API key.');
  if (isOwn && routed.realtime.length === 0)
    return refuseModel(
      model,
      `is not for ${nameOf('realtime')}, or has no upstream that takes them. GET /v1/models lists what each model is for.`,
    );
  return { ok: true, table, key: caller.group === group ? caller : { ...caller, group } };
}

const refuseModel = (model: string, why: string): Prices => ({
  ok: false,
  error: relayError('model_not_found', `The model "${model.slice(0, 200)}" ${why}`, { param: 'model' }),
});

/** Why a model is not asked for this; nothing was held or sent for it yet. */
function refuseOperation({ model, tasks }: RoutedModel, task: TaskForm | undefined): RelayError | undefined {
  const operations = listOperations(model);
  const asked = task?.task ?? 'generate';
  const refuse = (why: string) =>
    relayError('model_not_found', `The model "${model.name}" ${why}`, { param: 'model' });
  // As OpenAI says it, which clients look for.
  if (asked === 'complete' && !operations.includes(asked) && operations.includes('generate'))
    return refuse(
      'is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?',
    );
  if (!operations.includes(asked))
    return refuse(
      `is not for ${nameOf(asked)}, but for ${operations.map(nameOf).join(' and ')}. GET /v1/models lists what each model is for.`,
    );
  if (task && !tasks.get(task.task)?.has(task.format))
    return refuse(`has no upstream that takes ${nameOf(asked)}. The operators of this service can add one.`);
  return undefined;
}

const nameOf = (operation: ModelOperation): string => OPERATION_NAMES[operation].toLowerCase();
