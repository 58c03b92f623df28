import { formatUsd, parseUsd } from '@tollgate/money';
import type { Transaction } from '../../api/ledger.ts';

type Entries = Transaction['entries'];

/** Each entry on its side: what is taken from a ledger account, and what is given to it; both above zero. */
export const toSides = (entries: Entries) =>
  entries.map(({ ledger_account, amount_usd }) => {
    const pico = parseUsd(amount_usd);
    return {
      account: ledger_account,
      taken: pico < 0n ? formatUsd(-pico) : null,
      given: pico < 0n ? null : amount_usd,
    };
  });

/** What is given in all, which is what is taken. */
export const computeTurnover = (entries: Entries): string =>
  formatUsd(
    entries.reduce((sum, { amount_usd }) => {
      const pico = parseUsd(amount_usd);
      return pico > 0n ? sum + pico : sum;
    }, 0n),
  );
