import type { AuditFilter } from '../../api/audit-log.ts';
import { textOf } from '../../shared/search-params.ts';

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
export interface AuditSearch {
  readonly actor?: string;
  readonly action?: string;
  /** The first and the last day that are shown, in the time zone of the browser. */
  readonly from?: string;
  readonly to?: string;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00`));

/** Takes what it understands of an address and leaves the rest. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const { actor, action, from, to } = textOf(search, ['actor', 'action', 'from', 'to']);
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action !== undefined && /^[a-z][a-z.-]{0,63}$/.test(action) ? { action } : {}),
    ...(from !== undefined && isDay(from) ? { from } : {}),
    ...(to !== undefined && isDay(to) ? { to } : {}),
  };
}

/** The filter that the service takes: moments instead of days, the end exclusive. */
export function filterOf({ actor, action, from, to }: AuditSearch): AuditFilter {
  const start = (day: string) => new Date(`${day}T00:00:00`);
  const after = (day: string) => {
    const date = start(day);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1);
  };
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(from === undefined ? {} : { from: start(from).toISOString() }),
    ...(to === undefined ? {} : { to: after(to).toISOString() }),
  };
}
