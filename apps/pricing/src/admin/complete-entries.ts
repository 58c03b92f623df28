import {
  completePriceList,
  findSecretFault,
  type Model,
  type Pool,
  type modelInputSchema,
  type upstreamInputSchema,
} from '@tollgate/catalogue';
import { httpError, seal } from '@tollgate/platform';
import type { z } from 'zod';
import type { CatalogueChange, UpstreamInput } from '../catalogue/change.ts';

/** A model with the prices that were left out. */
export const modelFrom = (stated: z.infer<typeof modelInputSchema>): Model => ({
  ...stated,
  ...completePriceList(stated),
});

/**
 * An upstream with complete costs and its secrets sealed; those that were left out stay what they are.
 *
 * @throws HttpException 400 for a secret that is none of its kind of proof: sealed, nobody can tell any more.
 */
export function upstreamFrom(
  { credentials, costs, ...rest }: z.infer<typeof upstreamInputSchema>,
  sealKey: Buffer,
): UpstreamInput {
  for (const { name, secret } of credentials ?? []) {
    const fault = secret === undefined ? undefined : findSecretFault(rest.auth, secret);
    if (fault) throw httpError(400, `upstreams.${rest.name}.credentials.${name}: the secret ${fault}.`);
  }
  return {
    ...rest,
    costs: Object.fromEntries(Object.entries(costs).map(([model, list]) => [model, completePriceList(list)])),
    ...(credentials === undefined
      ? {}
      : {
          credentials: credentials.map(({ name, secret, weight, limits }) => ({
            name,
            weight,
            limits,
            ...(secret === undefined ? {} : { sealed: seal(secret, sealKey) }),
          })),
        }),
  };
}

/** A pool put where it stands, at the end, or in front of another. */
export const poolChange = (pool: Pool, before: string | undefined): CatalogueChange =>
  before === undefined ? { op: 'put', section: 'pools', entry: pool } : { op: 'put-before', pool, before };
