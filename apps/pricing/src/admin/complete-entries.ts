import {
  completePriceList,
  findSecretFault,
  type Model,
  type Pool,
  type modelInputSchema,
  type UpstreamAuth,
  type upstreamInputSchema,
} from '@tollgate/catalogue';
import { httpError, seal } from '@tollgate/platform';
import type { RefusalCode } from '@tollgate/vocabulary';
import type { z } from 'zod';
import type { CatalogueChange, UpstreamInput } from '../catalogue/change.ts';

/** A model with the prices that were left out. */
export const modelFrom = (stated: z.infer<typeof modelInputSchema>): Model => ({
  ...stated,
  ...completePriceList(stated),
});

/** What is said of a secret that is none of its kind of proof. */
const SECRET_CODES = {
  static: 'secret_has_blanks',
  aws: 'secret_not_aws',
  google: 'secret_not_google',
  azure: 'secret_not_azure',
} as const satisfies Record<UpstreamAuth['kind'], RefusalCode>;

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
    if (fault) {
      const message = `upstreams.${rest.name}.credentials.${name}: the secret ${fault}.`;
      throw httpError(400, message, null, SECRET_CODES[rest.auth?.kind ?? 'static']);
    }
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
