/** In the place of an account's id: all of them side by side. */
export const ALL_ACCOUNTS = 'all';

interface StatementsSearch {
  /** The month whose statement is open, such as "2026-11". */
  readonly month?: string;
  /** Whose statements they are, or {@link ALL_ACCOUNTS}; those of who looks without one. */
  readonly account?: string;
  /** Of all accounts: which ones, what of them, up to which month, and which page. */
  readonly find?: string;
  readonly measure?: 'credit' | 'requests';
  readonly to?: string;
  readonly page?: number;
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isMonth = (text: unknown): text is string => typeof text === 'string' && MONTH.test(text);

export function readStatementsSearch(search: Readonly<Record<string, unknown>>): StatementsSearch {
  const { month, account, find, measure, to, page } = search;
  if (account === ALL_ACCOUNTS && !isMonth(month))
    return {
      account,
      ...(typeof find === 'string' && find !== '' ? { find } : {}),
      ...(isMonth(to) ? { to } : {}),
      ...(measure === 'credit' || measure === 'requests' ? { measure } : {}),
      ...(typeof page === 'number' && page > 1 ? { page: Math.floor(page) } : {}),
    };
  return {
    ...(isMonth(month) ? { month } : {}),
    ...(typeof account === 'string' && UUID.test(account) ? { account } : {}),
  };
}
