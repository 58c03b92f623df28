import { readTexts } from '../../shared/search-params.ts';

/** In the place of an account's id: all of them side by side. */
export const ALL_ACCOUNTS = 'all';

interface StatementsSearch {
  /** The month whose statement is open, such as "2026-11". */
  readonly month?: string;
  /** Whose statements they are, or {@link ALL_ACCOUNTS}; those of who looks without one. */
  readonly account?: string;
  /** Of all accounts, as it stands in the address: which ones, what of them, up to which month, and which page. */
  readonly find?: string;
  readonly measure?: string;
  readonly to?: string;
  readonly page?: string;
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readStatementsSearch(search: Readonly<Record<string, unknown>>): StatementsSearch {
  const { month, account } = search;
  const isOne = typeof month === 'string' && MONTH.test(month);
  if (account === ALL_ACCOUNTS && !isOne)
    return { account, ...readTexts(search, ['find', 'measure', 'to', 'page']) };
  return {
    ...(isOne ? { month } : {}),
    ...(typeof account === 'string' && UUID.test(account) ? { account } : {}),
  };
}
