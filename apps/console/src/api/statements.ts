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

/** Newest first. */
export const statementsQuery = queryOptions({
  queryKey: ['statements'],
  queryFn: ({ signal }) => read(listStatements({ signal })),
});

export const statementQuery = (month: string) =>
  queryOptions({
    queryKey: ['statements', month],
    queryFn: ({ signal }) => read(showStatement({ path: { month }, signal })),
  });

export const statementKeysQuery = (month: string) =>
  queryOptions({
    queryKey: ['statements', month, 'keys'],
    queryFn: ({ signal }) => read(listStatementKeys({ path: { month }, signal })),
  });

/** Where the statement of a month is, as JSON or as a page to print. */
export const statementAddress = (month: string, format: 'json' | 'html'): string =>
  `/api/statements/${month}${format === 'html' ? '?format=html' : ''}`;
