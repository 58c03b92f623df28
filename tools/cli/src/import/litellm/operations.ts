import { guessTask, LITELLM_MODES } from '@tollgate/providers';
import { type ModelOperation, OPERATION_NAMES } from '@tollgate/vocabulary';
import type { LiteLlmConfig } from './config.ts';

/**
 * What each model of the file is for: as the mode of its deployments says, else as its name at the provider does.
 * Models for what is not served are not among them.
 *
 * @param notes gets those that are left out, and those that are told by their names.
 */
export function findOperations(
  { model_list }: LiteLlmConfig,
  notes: string[],
): ReadonlyMap<string, ModelOperation> {
  const operations = new Map<string, ModelOperation>();
  for (const [name, deployments] of Map.groupBy(model_list, ({ model_name }) => model_name)) {
    const mode = deployments
      .map(({ model_info, litellm_params }) => litellm_params['mode'] ?? model_info?.['mode'])
      .find((each) => typeof each === 'string' && each !== '');
    const theirs = deployments.map(({ litellm_params }) => litellm_params.model);
    const guessed = [...theirs, name].map(guessTask).find((task) => task !== undefined);
    if (typeof mode === 'string' && !Object.hasOwn(LITELLM_MODES, mode)) {
      notes.push(`model ${name}: left out, its mode is ${mode}, which is not served yet`);
      continue;
    }
    const operation = typeof mode === 'string' ? LITELLM_MODES[mode] : guessed;
    if (mode === undefined && guessed)
      notes.push(
        `model ${name}: is for ${OPERATION_NAMES[guessed].toLowerCase()} by its name; where it is not, write its mode`,
      );
    operations.set(name, operation ?? 'generate');
  }
  return operations;
}
