export const KEYS_PER_PAGE = 20;
const MAX_PAGES = 100_000;

export interface KeysSearch {
  /** From 1 on; absent on the first. */
  readonly page?: number;
  /** The dialog that makes a key is open. */
  readonly create?: true;
}

export function readKeysSearch({ page, create }: Readonly<Record<string, unknown>>): KeysSearch {
  const isPage = typeof page === 'number' && Number.isInteger(page) && page > 1 && page <= MAX_PAGES;
  return { ...(isPage ? { page } : {}), ...(create === true ? { create } : {}) };
}

export const toPage = (page = 1): { limit: number; offset: number } => ({
  limit: KEYS_PER_PAGE,
  offset: (page - 1) * KEYS_PER_PAGE,
});
