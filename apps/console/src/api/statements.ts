import { queryOptions } from '@tanstack/react-query';
import {
  billingStatementsControllerKeys,
  billingStatementsControllerList,
  billingStatementsControllerShow,
} from './generated/sdk/billing-statements.gen.ts';
import { bodyOf } from './result.ts';

/** A month of the account with its totals, in exact decimal USD. */
export interface StatementSummary {
  /** Such as "2026-11". */
  readonly month: string;
  readonly time_zone: string;
  readonly status: 'open' | 'closed';
  readonly opening_balance_usd: string;
  readonly usage_usd: string;
  /** Payments, grants and all else but usage. */
  readonly credit_usd: string;
  readonly closing_balance_usd: string;
  readonly requests: number;
  readonly closed_at: string | null;
  readonly hash: string | null;
  readonly previous_hash: string | null;
}

export interface StatementLine {
  readonly model: string;
  readonly requests: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly cost_usd: string;
}

export interface Movement {
  readonly kind: string;
  readonly transactions: number;
  readonly amount_usd: string;
}

export interface Statement {
  readonly account: { readonly id: string; readonly name: string };
  readonly month: string;
  readonly time_zone: string;
  readonly from: string;
  readonly to: string;
  readonly status: 'open' | 'closed';
  readonly hash: string | null;
  readonly as_of_number: number | null;
  readonly opening_balance_usd: string;
  readonly lines: readonly StatementLine[];
  readonly usage_usd: string;
  readonly movements: readonly Movement[];
  readonly closing_balance_usd: string;
}

export interface KeyLine {
  readonly key_id: string;
  readonly name: string;
  readonly masked: string;
  readonly is_deleted: boolean;
  readonly requests: number;
  readonly tokens: number;
  readonly cost_usd: string;
}

/** Newest first. */
export const statementsQuery = queryOptions({
  queryKey: ['statements'],
  queryFn: ({ signal }) =>
    bodyOf<{ items: readonly StatementSummary[] }>(billingStatementsControllerList({ signal })),
});

export const statementQuery = (month: string) =>
  queryOptions({
    queryKey: ['statements', month],
    queryFn: ({ signal }) => bodyOf<Statement>(billingStatementsControllerShow({ path: { month }, signal })),
  });

export const statementKeysQuery = (month: string) =>
  queryOptions({
    queryKey: ['statements', month, 'keys'],
    queryFn: ({ signal }) =>
      bodyOf<{ items: readonly KeyLine[] }>(billingStatementsControllerKeys({ path: { month }, signal })),
  });

/** Where the statement of a month is, as JSON or as a page to print. */
export const statementAddress = (month: string, format: 'json' | 'html'): string =>
  `/api/statements/${month}${format === 'html' ? '?format=html' : ''}`;
