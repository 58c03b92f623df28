import { readTexts } from '../../shared/search-params.ts';

export interface AccountsSearch {
  /** What accounts are searched for. */
  readonly find?: string;
  /** The dialog that makes an account is open. */
  readonly create?: true;
}

interface AccountSearch {
  /** The dialog that grants credit is open. */
  readonly grant?: true;
}

export const readAccountSearch = (search: Readonly<Record<string, unknown>>): AccountSearch =>
  search['grant'] === true ? { grant: true } : {};

const MAX_LETTERS = 100;

export function readAccountsSearch(search: Readonly<Record<string, unknown>>): AccountsSearch {
  const { find } = readTexts(search, ['find']);
  return {
    ...(find === undefined ? {} : { find: find.slice(0, MAX_LETTERS) }),
    ...(search['create'] === true ? { create: true } : {}),
  };
}
