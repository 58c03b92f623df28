import type { Role } from '@tollgate/vocabulary';
import { KEY_MANAGERS } from '../app/key-managers.ts';
import type common from '../locales/en/common.json';

const OPERATORS = ['owner', 'admin'] as const;
const BOOKKEEPERS = ['owner', 'admin', 'finance'] as const;

interface Place {
  readonly to: string;
  /** Its name in the common catalogue, below `places`. */
  readonly name: PlaceName;
  /** Who may go there; without it everybody who is signed in, with `anybody` others too. */
  readonly roles?: readonly Role[] | 'anybody';
}

export type PlaceName = keyof (typeof common)['places'];
type SectionName = keyof (typeof common)['sections'];

/** The navigation in its order. A place is shown from the day that its route exists. */
const SECTIONS: readonly { readonly name: SectionName; readonly places: readonly Place[] }[] = [
  {
    name: 'build',
    places: [
      { to: '/home', name: 'home' },
      { to: '/keys', name: 'keys' },
      { to: '/usage', name: 'usage' },
      { to: '/models', name: 'models', roles: 'anybody' },
      { to: '/playground', name: 'playground', roles: KEY_MANAGERS },
      { to: '/statements', name: 'statements' },
      { to: '/settings', name: 'settings' },
    ],
  },
  {
    name: 'run',
    places: [
      { to: '/accounts', name: 'accounts', roles: BOOKKEEPERS },
      { to: '/users', name: 'users', roles: OPERATORS },
      { to: '/catalogue', name: 'catalogue', roles: OPERATORS },
      { to: '/upstreams', name: 'upstreams', roles: OPERATORS },
      { to: '/limits', name: 'limits', roles: OPERATORS },
      { to: '/system', name: 'system', roles: OPERATORS },
      { to: '/audit-log', name: 'auditLog', roles: OPERATORS },
    ],
  },
  {
    name: 'money',
    places: [
      { to: '/margins', name: 'margins', roles: BOOKKEEPERS },
      { to: '/ledger', name: 'ledger', roles: BOOKKEEPERS },
      { to: '/exports', name: 'exports', roles: BOOKKEEPERS },
      { to: '/reconciliation', name: 'reconciliation', roles: BOOKKEEPERS },
      { to: '/periods', name: 'periods', roles: BOOKKEEPERS },
      { to: '/redemption-codes', name: 'redemptionCodes', roles: BOOKKEEPERS },
      { to: '/discounts', name: 'discounts', roles: OPERATORS },
    ],
  },
];

/** The sections that somebody of a role sees; null is somebody who is not signed in. */
export function sectionsFor(role: Role | null, exists: (path: string) => boolean): typeof SECTIONS {
  const isOpen = ({ roles }: Place) =>
    roles === 'anybody' || (role !== null && (roles === undefined || roles.includes(role)));
  return SECTIONS.map(({ name, places }) => ({
    name,
    places: places.filter((place) => isOpen(place) && exists(place.to)),
  })).filter(({ places }) => places.length > 0);
}
