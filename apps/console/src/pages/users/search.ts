import { readTexts } from '../../shared/search-params.ts';

export interface UsersSearch {
  /** The account whose people are shown; absent for one's own. */
  readonly account?: string;
  /** The dialog that invites somebody is open. */
  readonly invite?: true;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Takes what it understands of an address and leaves the rest. */
export function readUsersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  const { account } = readTexts(search, ['account']);
  return {
    ...(account !== undefined && UUID.test(account) ? { account } : {}),
    ...(search['invite'] === true ? { invite: true } : {}),
  };
}
