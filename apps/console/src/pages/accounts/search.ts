import type { AccountFilter, AccountSort } from '../../api/accounts.ts';
import { readTexts } from '../../shared/search-params.ts';

export interface AccountsSearch {
  /** What accounts are searched for. */
  readonly find?: string;
  readonly sort?: string;
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
  const { sort } = toFilter(readTexts(search, ['sort']));
  return {
    ...(find === undefined ? {} : { find: find.slice(0, MAX_LETTERS) }),
    ...(sort === undefined ? {} : { sort }),
    ...(search['create'] === true ? { create: true } : {}),
  };
}

/** What accounts may be ordered by; with a minus the greatest first. */
const SORTS = (['name', 'balance', 'created'] as const).flatMap((column): AccountSort[] => [
  column,
  `-${column}`,
]);

/** What is asked for of the service. */
export function toFilter({ find, sort: text }: Pick<AccountsSearch, 'find' | 'sort'>): AccountFilter {
  const sort = SORTS.find((each) => each === text);
  return { ...(find === undefined ? {} : { find }), ...(sort === undefined ? {} : { sort }) };
}
