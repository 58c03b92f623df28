import { readTexts } from '../../shared/search-params.ts';

export interface PeriodsSearch {
  /** Whose months are shown; without it those of the own account. */
  readonly account?: string;
  /** The dialog that closes a month is open. */
  readonly close?: true;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readPeriodsSearch(search: Readonly<Record<string, unknown>>): PeriodsSearch {
  const { account } = readTexts(search, ['account']);
  return {
    ...(account !== undefined && UUID.test(account) ? { account } : {}),
    ...(search['close'] === true ? { close: true } : {}),
  };
}

/** Whether a month is over, so that it can be closed. */
export const isOver = ({ to }: { readonly to: string }, now = Date.now()): boolean => Date.parse(to) <= now;
