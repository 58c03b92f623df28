interface StatementsSearch {
  /** The month whose statement is open, such as "2026-11". */
  readonly month?: string;
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export const readStatementsSearch = ({ month }: Readonly<Record<string, unknown>>): StatementsSearch =>
  typeof month === 'string' && MONTH.test(month) ? { month } : {};
