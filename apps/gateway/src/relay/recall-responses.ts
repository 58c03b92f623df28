import type { KeyRecord } from '@tollgate/contracts';
import type { RelayError } from '@tollgate/protocols';
import { keepResponse, type ResponseKeeping } from '../kept-responses/keep-response.ts';
import { recall } from '../kept-responses/recall.ts';
import type { Payload } from '../body/payload.ts';
import type { RelayDependencies, RelayRequest } from './relay-request.ts';

/** A request with what it names in place of the names. */
export interface RecalledRequest {
  readonly payload: Payload;
  /** Paths of what the request named and is not there any more. */
  readonly dropped: readonly string[];
  /** For an answer that may have to be converted: no vendor keeps it. */
  readonly beginKeeping: () => ResponseKeeping | undefined;
}

/** A Responses client may name what it was answered before, and have this answer kept. */
export function recallResponses(
  deps: RelayDependencies,
  request: RelayRequest,
  key: KeyRecord,
  payload: Payload,
): Recalled | Promise<Recalled> {
  return request.protocol === 'openai-responses'
    ? recallAll(deps, request, key, payload)
    : { ok: true, payload, dropped: [], beginKeeping: () => undefined };
}

type Recalled =
  | ({ readonly ok: true } & RecalledRequest)
  | { readonly ok: false; readonly error: RelayError };

async function recallAll(
  deps: RelayDependencies,
  { requestId }: RelayRequest,
  { account_id: accountId, strict }: KeyRecord,
  payload: Payload,
): Promise<Recalled> {
  const recalled = await recall(deps, { payload, accountId, strict });
  if (!recalled.ok) return recalled;
  const beginKeeping = () => keepResponse(deps.keptResponses, { requestId, accountId, payload });
  return { ok: true, payload: recalled.payload, dropped: recalled.dropped, beginKeeping };
}
