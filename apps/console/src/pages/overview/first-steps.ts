import { computeServing, SIMULATOR } from '@tollgate/catalogue/serving';
import type { Catalogue } from '../../api/catalogue.ts';
import type { Overview } from '../../api/overview.ts';

/** What there is of a first real answer; the simulator's answers are none. */
export interface FirstSteps {
  /** An upstream was added. */
  readonly provider: boolean;
  /** A model that it serves for somebody. */
  readonly model: string | undefined;
}

type Serving = Pick<Catalogue, 'models' | 'groups' | 'pools'> & {
  readonly upstreams: readonly { readonly name: string }[];
};

export function findFirstSteps(catalogue: Serving): FirstSteps {
  const real = new Set(
    catalogue.pools
      .filter(({ members }) => members.some(({ upstream }) => upstream !== SIMULATOR))
      .map(({ name }) => name),
  );
  const served = [...computeServing(catalogue).models].find(([, { pools }]) =>
    pools.some(({ pool }) => real.has(pool)),
  );
  return { provider: catalogue.upstreams.some(({ name }) => name !== SIMULATOR), model: served?.[0] };
}

export const hasRealAnswer = ({ upstreams }: Pick<Overview, 'upstreams'>): boolean =>
  upstreams.some(({ upstream, requests }) => upstream !== SIMULATOR && requests > 0);
