import { queryOptions } from '@tanstack/react-query';
import { listStatementKeys, listStatements, showStatement } from './generated/sdk/statements.gen.ts';
import { read } from './result.ts';

export type {
  Statement,
  StatementKey as KeyLine,
  StatementLine,
  StatementMovement as Movement,
  StatementSummary,
} from './generated/types.gen.ts';

/** Whose: one's own account where it is left out. */
const toQuery = (account: string | undefined) => (account === undefined ? {} : { account_id: account });

export const STATEMENTS = ['statements'] as const;

/** Newest first. */
export const statementsQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: [...STATEMENTS, { account }],
    queryFn: ({ signal }) => read(listStatements({ query: toQuery(account), signal })),
  });

export const statementQuery = (month: string, account: string | undefined) =>
  queryOptions({
    queryKey: [...STATEMENTS, { account, month }],
    queryFn: ({ signal }) => read(showStatement({ path: { month }, query: toQuery(account), signal })),
  });

export const statementKeysQuery = (month: string, account: string | undefined) =>
  queryOptions({
    queryKey: [...STATEMENTS, { account, month }, 'keys'],
    queryFn: ({ signal }) => read(listStatementKeys({ path: { month }, query: toQuery(account), signal })),
  });

/** Where the statement of a month is, as JSON or as a page to print. */
export function statementAddress(
  month: string,
  format: 'json' | 'html',
  account: string | undefined,
  language: string,
): string {
  const query = new URLSearchParams(format === 'html' ? { format, language } : {});
  if (account !== undefined) query.set('account_id', account);
  return `/api/statements/${month}${query.size > 0 ? `?${query.toString()}` : ''}`;
}
