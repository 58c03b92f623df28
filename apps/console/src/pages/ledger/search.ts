import type { LedgerSort } from '../../api/ledger.ts';
import { TRANSACTION_KINDS, type TransactionKind } from '@tollgate/vocabulary';
import { readDays } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** What the address of the ledger says. */
export interface LedgerSearch {
  readonly account?: string;
  readonly kind?: TransactionKind;
  /** The first and the last day on which it is booked, in the time zone of the account. */
  readonly from?: string;
  readonly to?: string;
  /** The transaction whose entries are shown. */
  readonly number?: number;
  readonly sort?: LedgerSort;
}

/** What it may be ordered by; with a minus the greatest first. */
const SORTS: readonly LedgerSort[] = ['number', '-number', 'amount', '-amount'];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isKind = (text: string | undefined): text is TransactionKind =>
  TRANSACTION_KINDS.some((kind) => kind === text);

/** Takes what it understands of an address and leaves the rest. */
export function readLedgerSearch(search: Readonly<Record<string, unknown>>): LedgerSearch {
  const { account, kind, from, to } = readTexts(search, ['account', 'kind', 'from', 'to']);
  const { number } = search;
  const sort = SORTS.find((each) => each === search['sort']);
  return {
    ...(account !== undefined && UUID.test(account) ? { account } : {}),
    ...(isKind(kind) ? { kind } : {}),
    ...readDays(from, to),
    ...(sort === undefined ? {} : { sort }),
    ...(typeof number === 'number' && isNumber(number) ? { number } : {}),
  };
}

/** Whether the journal may have such a number. */
export const isNumber = (number: number): boolean => Number.isSafeInteger(number) && number > 0;
