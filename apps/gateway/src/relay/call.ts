import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Protocol } from '@tollgate/contracts';
import type { StateWrapper, StoredIds, StreamFraming, UpstreamAction } from '@tollgate/protocols';
import type { AdmissionRooms } from '../admit/admit.ts';
import type { AuthenticationRooms } from '../authenticate/authenticate.ts';
import type { ForwardLimits } from '../forward/forward.ts';
import type { Hops } from '../forward/hops.ts';
import type { KeptResponses } from '../kept-responses/kept-responses.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { ReceiveDeps } from './receive.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import type { RequestWatch, Telemetry } from '../telemetry/request-watch.ts';

/** What the steps of the relay need, made once at start. */
export interface RelayRooms extends AdmissionRooms, AuthenticationRooms, ReceiveDeps {
  readonly table: () => RoutingTable | undefined;
  readonly publisher: Pick<Publisher, 'publish'>;
  /** Whether usage can be stored now; a request whose usage cannot is not served. */
  readonly storesUsage: () => boolean;
  readonly states: StateWrapper;
  readonly storedIds: StoredIds;
  readonly keptResponses: KeptResponses;
  readonly idempotency: Idempotency;
  readonly hops: Hops;
  /** Further headers of callers that upstreams see, in lower case. */
  readonly passHeaders: ReadonlySet<string>;
  readonly telemetry: Telemetry;
  readonly limits: ForwardLimits &
    ReceiveDeps['limits'] & { readonly keepAliveMs: number; readonly eventLimitBytes: number };
}

/** One request as the front door hands it over. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly protocol: Protocol;
  readonly action: UpstreamAction;
  /** How the caller's stream is cut, should it want one. */
  readonly framing: StreamFraming;
  /** The model where the path names it. */
  readonly pathModel: string | undefined;
  readonly queryKey: string | undefined;
  /** The query without the key. */
  readonly query: string;
  readonly watch: RequestWatch;
}
