import type { AnswerOf, periods } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import type { PeriodTotals } from './totals.ts';
import type { SealedPeriod } from './sealed-period.ts';

type ShownPeriod = AnswerOf<typeof periods.getPeriod>;
type Summary = AnswerOf<typeof periods.listPeriods>['items'][number];

const usd = (pico: string): string => formatUsd(BigInt(pico));

/** A closed period as finance sees it: amounts in decimal USD. What was hashed is `sealed`, as it is stored. */
export const shownPeriod = (period: SealedPeriod): ShownPeriod => ({
  ...toSummary(period),
  ledger_accounts: period.totals.ledger_accounts.map(({ ledger_account, amount_pico }) => ({
    ledger_account,
    amount_usd: usd(amount_pico),
  })),
  kinds: period.totals.kinds.map(({ kind, transactions, amount_pico }) => ({
    kind,
    transactions,
    amount_usd: usd(amount_pico),
  })),
  usage: period.totals.usage.map(({ cost_pico, upstream_cost_pico, ...line }) => ({
    ...line,
    revenue_usd: usd(cost_pico),
    upstream_cost_usd: usd(upstream_cost_pico),
  })),
  sealed: { ...period, totals: { ...period.totals } },
});

/** A closed period as a list shows it. */
export const toSummary = (period: SealedPeriod): Summary => ({
  account_id: period.account_id,
  month: period.month,
  time_zone: period.time_zone,
  from: period.from,
  to: period.to,
  closed_at: period.closed_at,
  closed_by: period.closed_by,
  reason: period.reason,
  ...toFigures(period.totals),
  digest: period.digest,
  previous_hash: period.previous_hash,
  hash: period.hash,
});

const toFigures = (totals: PeriodTotals) => ({
  opening_balance_usd: usd(totals.opening_balance_pico),
  closing_balance_usd: usd(totals.closing_balance_pico),
  transactions: totals.transactions,
  requests: totals.requests,
  first_number: totals.first_number,
  last_number: totals.last_number,
});
