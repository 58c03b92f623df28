import { readTexts } from '../../shared/search-params.ts';

export interface AccountsSearch {
  /** What accounts are searched for. */
  readonly find?: string;
  /** The dialog that makes an account is open. */
  readonly create?: true;
}

const MAX_LETTERS = 100;

export function readAccountsSearch(search: Readonly<Record<string, unknown>>): AccountsSearch {
  const { find } = readTexts(search, ['find']);
  return {
    ...(find === undefined ? {} : { find: find.slice(0, MAX_LETTERS) }),
    ...(search['create'] === true ? { create: true } : {}),
  };
}
