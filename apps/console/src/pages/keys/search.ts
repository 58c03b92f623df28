import type { KeySort } from '../../api/keys.ts';
import { readTexts } from '../../shared/search-params.ts';

export const KEYS_PER_PAGE = 20;
const MAX_PAGES = 100_000;
const MAX_LETTERS = 100;

/** What keys may be ordered by; with a minus the greatest first. */
const COLUMNS = ['name', 'owner', 'group', 'spent', 'used', 'expires', 'created'] as const;
const SORTS = COLUMNS.flatMap((column): KeySort[] => [column, `-${column}`]);

export interface KeysSearch {
  /** What keys are searched for. */
  readonly find?: string;
  readonly sort?: string;
  /** From 1 on; absent on the first. */
  readonly page?: number;
  /** The dialog that makes a key is open. */
  readonly create?: true;
}

export function readKeysSearch(search: Readonly<Record<string, unknown>>): KeysSearch {
  const { page, create } = search;
  const { find } = readTexts(search, ['find']);
  const sort = SORTS.find((each) => each === search['sort']);
  const isPage = typeof page === 'number' && Number.isInteger(page) && page > 1 && page <= MAX_PAGES;
  return {
    ...(find === undefined ? {} : { find: find.slice(0, MAX_LETTERS) }),
    ...(sort === undefined ? {} : { sort }),
    ...(isPage ? { page } : {}),
    ...(create === true ? { create } : {}),
  };
}

/** What is asked for of the service. */
export const toQuery = ({ page = 1, ...filter }: KeysSearch) => ({
  ...toFilter(filter),
  limit: KEYS_PER_PAGE,
  offset: (page - 1) * KEYS_PER_PAGE,
});

export function toFilter({ find, sort: text }: Pick<KeysSearch, 'find' | 'sort'>) {
  const sort = SORTS.find((each) => each === text);
  return { ...(find === undefined ? {} : { find }), ...(sort === undefined ? {} : { sort }) };
}
