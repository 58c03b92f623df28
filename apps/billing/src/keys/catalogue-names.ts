import { MESSAGE, priceSnapshotSchema } from '@tollgate/contracts';
import { httpError, unavailable, type RequestReplyClient } from '@tollgate/platform';

/** The group of keys that take whichever group of the catalogue's list offers the model. */
const AUTO = 'auto';

/**
 * Whether the group and the models that a key is to have are there.
 *
 * @throws HttpException 400 for what is not, 503 while pricing does not answer.
 */
export async function mustBeInCatalogue(
  pricing: RequestReplyClient,
  wanted: { readonly group?: string | undefined; readonly models?: readonly string[] | null | undefined },
): Promise<void> {
  const { group, models } = wanted;
  if (group === undefined && !models) return;
  const { groupNames, modelNames } = await namesOf(pricing);
  if (group !== undefined && group !== AUTO && !groupNames.includes(group)) {
    throw httpError(
      400,
      `group: there is no group "${group}". There are: ${groupNames.join(', ')}.`,
      'group',
    );
  }
  const known = new Set(modelNames);
  const unknown = models?.find((model) => !known.has(model));
  if (unknown !== undefined) throw httpError(400, `models: there is no model "${unknown}".`, 'models');
}

async function namesOf(pricing: RequestReplyClient) {
  try {
    const snapshot = await pricing.request(
      MESSAGE.snapshotGet,
      { version: 'current' },
      priceSnapshotSchema.nullable(),
    );
    const { groups = [], models = [] } = snapshot?.catalogue ?? {};
    return { groupNames: groups.map(({ name }) => name), modelNames: models.map(({ name }) => name) };
  } catch (error) {
    throw unavailable('The groups and models cannot be looked up at the moment. Try again shortly.', error);
  }
}
