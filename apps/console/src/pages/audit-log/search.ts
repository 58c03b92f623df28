import type { AuditSort } from '../../api/audit-log.ts';
import { type Days, readDays } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** Actions that can be chosen, most of them by how they begin. */
export const ACTIONS = [
  ['catalogue.', 'catalogue'],
  ['key.', 'key'],
  ['account.', 'account'],
  ['user.', 'user'],
  ['sign-in', 'signIn'],
  ['sign-in.', 'failedSignIn'],
  ['ledger.', 'ledger'],
  ['period.', 'period'],
  ['redemption.', 'redemption'],
  ['export.', 'export'],
  ['rerate.', 'rerate'],
] as const;

/** What the address of the audit log says. */
export interface AuditSearch extends Days {
  readonly actor?: string;
  readonly action?: string;
  readonly sort?: AuditSort;
}

/** What it may be ordered by; with a minus the last first. */
const SORTS = (['at', 'actor', 'action'] as const).flatMap((column): AuditSort[] => [column, `-${column}`]);

/** Takes what it understands of an address and leaves the rest. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const { actor, action, from, to } = readTexts(search, ['actor', 'action', 'from', 'to']);
  const sort = SORTS.find((each) => each === search['sort']);
  return {
    ...(sort === undefined ? {} : { sort }),
    ...(actor === undefined ? {} : { actor }),
    ...(action !== undefined && /^[a-z][a-z.-]{0,63}$/.test(action) ? { action } : {}),
    ...readDays(from, to),
  };
}
