import {
  completePriceList,
  type Model,
  type Pool,
  type modelInputSchema,
  type upstreamInputSchema,
} from '@tollgate/catalogue';
import { seal } from '@tollgate/platform';
import type { z } from 'zod';
import type { CatalogueChange, UpstreamInput } from '../catalogue/change.ts';

/** A model with the prices that were left out. */
export const modelFrom = (stated: z.infer<typeof modelInputSchema>): Model => ({
  ...stated,
  ...completePriceList(stated),
});

/** An upstream with complete costs and its secrets sealed; those that were left out stay what they are. */
export function upstreamFrom(
  { credentials, costs, ...rest }: z.infer<typeof upstreamInputSchema>,
  sealKey: Buffer,
): UpstreamInput {
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
