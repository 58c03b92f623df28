interface StatementsSearch {
  /** The month whose statement is open, such as "2026-11". */
  readonly month?: string;
  /** Whose statements they are; those of who looks without one. */
  readonly account?: string;
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const readStatementsSearch = ({
  month,
  account,
}: Readonly<Record<string, unknown>>): StatementsSearch => ({
  ...(typeof month === 'string' && MONTH.test(month) ? { month } : {}),
  ...(typeof account === 'string' && UUID.test(account) ? { account } : {}),
});
