import { listServingWarnings } from '@tollgate/catalogue/serving';
import type { Catalogue } from '../../api/catalogue.ts';
import type { Overview } from '../../api/overview.ts';
import type { System } from '../../api/system.ts';
import type { Target } from '../../api/upstreams.ts';
import { findAuditStatus, findQueueStatus } from '../system/status.ts';

/** What needs a person; `name` is of what it is about. */
export interface Concern {
  readonly kind:
    | 'credential_refused'
    | 'upstream_ejected'
    | ReturnType<typeof listServingWarnings>[number]['code']
    | 'running_dry'
    | 'service_down'
    | 'books_behind'
    | 'books_off';
  readonly name: string;
  /** Of an account. */
  readonly id?: string;
  readonly leftUsd?: string;
}

type SystemParts = Pick<System, 'pricing' | 'postgres' | 'redis' | 'queue' | 'audit'>;

interface Known {
  readonly health:
    | { readonly upstreams: readonly Pick<Target, 'upstream' | 'credential' | 'state'>[] }
    | undefined;
  readonly catalogue: Pick<Catalogue, 'models' | 'groups' | 'pools'> | undefined;
  readonly overview: Pick<Overview, 'running_dry'> | undefined;
  readonly system: SystemParts | undefined;
}

/** All that needs attention, what stops requests first; of what is not known yet nothing is said. */
export const listConcerns = ({ health, catalogue, overview, system }: Known): readonly Concern[] => [
  ...(system ? listBookConcerns(system) : []),
  ...(health?.upstreams ?? []).flatMap(({ upstream, credential, state }): Concern[] => {
    if (state === 'disabled')
      return [{ kind: 'credential_refused', name: [upstream, credential ?? []].flat().join(' / ') }];
    return state === 'ejected' ? [{ kind: 'upstream_ejected', name: upstream }] : [];
  }),
  ...(overview?.running_dry ?? []).map(({ account_id: id, account_name, left_usd: leftUsd }): Concern => ({
    kind: 'running_dry',
    name: account_name ?? id,
    id,
    leftUsd,
  })),
  ...(catalogue ? listServingWarnings(catalogue).map(({ code: kind, name }) => ({ kind, name })) : []),
];

function listBookConcerns(system: SystemParts): Concern[] {
  const { pricing, postgres, redis } = system;
  const down = Object.entries({ pricing, postgres, redis }).filter(([, { up }]) => !up);
  return [
    ...down.map(([name]): Concern => ({ kind: 'service_down', name })),
    ...(findQueueStatus(system) === 'warn' ? [{ kind: 'books_behind' as const, name: '' }] : []),
    ...(findAuditStatus(system.audit) === 'off' ? [{ kind: 'books_off' as const, name: '' }] : []),
  ];
}
