import type { KeyRecord } from '@tollgate/contracts';
import { relayError, type RelayError } from '@tollgate/protocols';
import { restrictTable } from '../authenticate/visible-models.ts';
import { groupFor } from '../route/route.ts';
import type { RoutingTable } from '../route/routing-table.ts';

type Prices =
  | {
      readonly ok: true;
      /** The models that the key may use. */
      readonly table: RoutingTable;
      /** In the group that the request is served and billed under. */
      readonly key: KeyRecord;
    }
  | { readonly ok: false; readonly error: RelayError };

/** The prices that hold for a request from here to its end, whatever is published meanwhile. */
export function selectPrices(loaded: RoutingTable | undefined, caller: KeyRecord, model: string): Prices {
  if (!loaded) return { ok: false, error: NO_PRICES };
  const table = restrictTable(loaded, caller);
  const group = groupFor(table, caller.group, model);
  return { ok: true, table, key: caller.group === group ? caller : { ...caller, group } };
}

const NO_PRICES = relayError('unavailable', 'Prices are not loaded yet. Try again shortly.', {
  retryAfterMs: 1_000,
});
