import type { KeyRecord } from '@tollgate/contracts';
import type {
  RequestSummary,
  StateWrapper,
  StoredIds,
  StreamFraming,
  TaskForm,
  UpstreamAction,
} from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { AdmissionDependencies } from '../admit/admit.ts';
import type { AuthenticationDependencies } from '../authenticate/authenticate.ts';
import type { ForwardLimits } from '../forward/forward.ts';
import type { Hops } from '../forward/hops.ts';
import type { KeptResponses } from '../kept-responses/kept-responses.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { StatePlaces } from '../reasoning/state-places.ts';
import type { ClientRequest, ClientResponse } from './client-exchange.ts';
import type { Departures } from './departures.ts';
import type { Payload } from '../body/payload.ts';
import type { BackgroundJobs } from '../background/jobs-client.ts';
import type { BodyMemory } from '../body/body-memory.ts';
import type { UploadLimits } from '../upload/read-upload.ts';
import type { BodyLimits } from '../body/read-body.ts';
import type { UnseenReasoning } from './unseen-reasoning.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import type { RequestWatch, Telemetry } from '../telemetry/request-watch.ts';

/** What the steps of the relay need, made once at start. */
export interface RelayDependencies extends AdmissionDependencies, AuthenticationDependencies {
  readonly bodyMemory: BodyMemory;
  /** Where forms are kept, and how much of that they take. */
  readonly uploads: { readonly directory: string; readonly disk: BodyMemory };
  readonly table: () => RoutingTable | undefined;
  readonly publisher: Pick<Publisher, 'publish'>;
  /** Whether usage can be stored now; a request whose usage cannot is not served. */
  readonly storesUsage: () => boolean;
  readonly states: StateWrapper;
  readonly storedIds: StoredIds;
  readonly keptResponses: KeptResponses;
  readonly statePlaces: StatePlaces;
  readonly backgroundJobs: BackgroundJobs;
  readonly idempotency: Idempotency;
  readonly departures: Pick<Departures, 'watch'>;
  readonly unseenReasoning: UnseenReasoning;
  readonly hops: Hops;
  /** Further headers of callers that upstreams see, in lower case. */
  readonly passHeaders: ReadonlySet<string>;
  readonly telemetry: Telemetry;
  readonly limits: ForwardLimits &
    BodyLimits &
    UploadLimits & {
      /** JSON values in one body. */
      readonly bodyValues: number;
      readonly keepAliveMs: number;
      readonly eventLimitBytes: number;
    };
}

/** One request as the front door hands it over. */
export interface RelayRequest {
  readonly incoming: ClientRequest;
  readonly response: ClientResponse;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly protocol: ClientProtocol;
  readonly action: UpstreamAction;
  /** In place of a conversation. */
  readonly task?: TaskForm | undefined;
  /** How the caller's stream is cut, should it want one. */
  readonly framing: StreamFraming;
  /** The model where the path names it. */
  readonly pathModel: string | undefined;
  readonly queryKey: string | undefined;
  /** The query without the key. */
  readonly query: string;
  readonly watch: RequestWatch;
}

/** A request that is read and understood, with the prices that hold for it. */
export interface AskedRequest {
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
  /** When it arrived, by `performance.now()`: how long it takes is measured by a clock that nobody sets. */
  readonly beganAt: number;
  /** When the caller gives up, as far as it says so, by that clock. */
  readonly deadlineAt: number;
  /** In the group that the request is served and billed under. */
  readonly key: KeyRecord;
  readonly table: RoutingTable;
  readonly summary: RequestSummary;
  /** With what the request names in place of the names. */
  readonly payload: Payload;
}
