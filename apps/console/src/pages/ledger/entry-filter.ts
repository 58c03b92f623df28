import type { LedgerFilter } from '../../api/ledger.ts';
import { toSpan } from '../../shared/spans.ts';
import type { LedgerSearch } from './search.ts';

/** The filter that the service takes: moments instead of days, the end exclusive. */
export const toFilter = ({ account, kind, from, to, sort }: LedgerSearch, zone: string): LedgerFilter => ({
  ...(account === undefined ? {} : { account_id: account }),
  ...(kind === undefined ? {} : { kind }),
  ...(sort === undefined ? {} : { sort }),
  ...toSpan({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, zone),
});
