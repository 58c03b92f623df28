import { AUTO_GROUP, type Catalogue, EMPTY_CATALOGUE, priceSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE } from '@tollgate/contracts';
import { httpError, unavailable, type RequestReplyClient } from '@tollgate/platform';

interface Restrictions {
  readonly group?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
}

/**
 * Whether the group and the models that a key is to have are there, and are for the account: somebody who may use some
 * groups learns of no others, nor of models that only those have.
 *
 * @param groups that the key may be in; null is every one.
 * @throws HttpException 400 for what is not, 503 while pricing does not answer.
 */
export async function requireInCatalogue(
  pricing: RequestReplyClient,
  { group, models }: Restrictions,
  groups: readonly string[] | null,
): Promise<void> {
  if (group === undefined && !models) return;
  const catalogue = await catalogueOf(pricing);
  const usable = catalogue.groups.filter(({ name }) => groups === null || groups.includes(name));
  const hasAuto = groups === null || groups.includes(AUTO_GROUP);
  const names = [...usable.map(({ name }) => name), ...(groups !== null && hasAuto ? [AUTO_GROUP] : [])];
  if (group !== undefined && !names.includes(group) && !(group === AUTO_GROUP && hasAuto)) {
    throw httpError(
      400,
      `group: there is no group "${group}". There are: ${names.join(', ')}.`,
      'group',
      'no_such_group',
      {
        name: group,
      },
    );
  }
  const known = new Set(modelsOf(catalogue, usable, hasAuto));
  const unknown = models?.find((model) => !known.has(model));
  if (unknown !== undefined)
    throw httpError(400, `models: there is no model "${unknown}".`, 'models', 'no_such_model', {
      name: unknown,
    });
}

type Groups = Catalogue['groups'];

function modelsOf({ groups, models, auto_groups }: Catalogue, usable: Groups, hasAuto: boolean): string[] {
  const offering = hasAuto ? [...usable, ...groups.filter(({ name }) => auto_groups.includes(name))] : usable;
  const names = offering.flatMap((group) => group.models);
  return names.includes('*') ? models.map(({ name }) => name) : names;
}

async function catalogueOf(pricing: RequestReplyClient): Promise<Catalogue> {
  try {
    const snapshot = await pricing.request(
      MESSAGE.snapshotGet,
      { version: 'current' },
      priceSnapshotSchema.nullable(),
    );
    return snapshot?.catalogue ?? EMPTY_CATALOGUE;
  } catch (error) {
    throw unavailable('The groups and models cannot be looked up at the moment. Try again shortly.', error);
  }
}
