import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRecord } from '@tollgate/contracts';
import type { Ending, Metered } from '@tollgate/metering';
import { ERROR_KINDS, type RelayError } from '@tollgate/protocols';
import type { Counts, UnitKind } from '@tollgate/vocabulary';
import { admit, type Admitted } from '../admit/admit.ts';
import { type RequestBound, reserve } from '../admit/reserve.ts';
import { admitUpstream } from '../admit/upstream-limits.ts';
import { authenticate } from '../authenticate/authenticate.ts';
import { toCallerError } from '../forward/status-policy.ts';
import { newRequestId } from '../front-door/request-id.ts';
import { boundUnits } from '../relay/admit-request.ts';
import { USAGE_NOT_STORED } from '../relay/not-ready.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { selectSessionPrices } from '../relay/select-prices.ts';
import { toPricedLine, usageEvent } from '../relay/usage-event.ts';
import type { Candidate } from '../route/candidates.ts';
import type { RoutingTable } from '../route/routing-table.ts';
import { watchRequest } from '../telemetry/request-watch.ts';

/** Who opened a session, and with what. */
export interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly queryKey: string | undefined;
  readonly clientAddress: string;
  /** As it was then. */
  readonly key: KeyRecord;
}

/** What something of a session may cost at most, held of the credit of its caller. */
export interface SessionHold {
  readonly requestId: string;
  readonly bound: RequestBound;
  /** The most that the catalogue says of what the model writes; null where it says nothing. */
  readonly modelOutput: number | null;
  /** Books it, for no more than was held; `firstByteAt` is by `performance.now()`. Resolves once that is durable. */
  record(metered: Metered, end: Ending, firstByteAt: number | undefined): Promise<void>;
  /** It was not done, or is not billed. */
  release(): void;
}

interface HoldRequest {
  readonly caller: Caller;
  readonly candidate: Candidate;
  readonly model: string;
  /** The model serves sessions of its own; else it works in one. */
  readonly isOwn: boolean;
  readonly input: number;
  /** As many as it is likely to have, for limits of tokens. */
  readonly likely: number;
  /** Tokens of output that are asked for; null where no limit is stated. */
  readonly output: number | null;
  readonly units?: Readonly<Partial<Record<UnitKind, number>>>;
}

/** Whether something of a session may run. */
export type TakenHold =
  | { readonly ok: true; readonly hold: SessionHold }
  | { readonly ok: false; readonly error: RelayError };

const PROTOCOL = 'openai-chat';

/** May this run now? Asks key, prices, limits and credit as for a request, and holds what it may cost at most. */
export async function takeHold(deps: RelayDependencies, request: HoldRequest): Promise<TakenHold> {
  const { caller, candidate, model, units = {} } = request;
  const requestId = newRequestId();
  const times = { arrivedAt: Date.now(), beganAt: performance.now() };
  const watch = watchHold(deps, requestId, model, caller);
  const { ended } = watch;
  const refuse = (error: RelayError): TakenHold => {
    watch.refused(error);
    ended(ERROR_KINDS[error.kind].status);
    return { ok: false, error };
  };
  const authenticated = await authenticate(deps, caller);
  if (!authenticated.ok) return refuse(authenticated.error);
  watch.authenticated(authenticated.key);
  if (!deps.storesUsage()) return refuse(USAGE_NOT_STORED);
  const priced = selectSessionPrices(deps.table(), authenticated.key, model, request.isOwn);
  if (!priced.ok) return refuse(priced.error);
  const { key, table } = priced;
  const routed = table.groups.get(key.group)?.models.get(model);
  const window = Math.min(request.input, routed?.model.context_window ?? Infinity);
  const reservation = reserve(table, {
    requestId,
    arrivedAt: times.arrivedAt,
    key,
    model,
    protocol: PROTOCOL,
    task: 'realtime',
    output: { limit: request.output, raisedTo: 0, beside: 0, answers: 1 },
    bound: () => ({ input: window, textOnly: false }),
    extras: (_served, of) => boundUnits(units, of),
  });
  const expected = { tokens: Math.min(request.likely, window), units };
  const { clientAddress } = caller;
  const admitted = await admit(deps, table, {
    clientAddress,
    protocol: PROTOCOL,
    task: 'realtime',
    key,
    model,
    ...expected,
    reservation,
  });
  if (!admitted.ok) {
    watch.limited(admitted.limitedBy);
    return refuse(admitted.error);
  }
  const { name, limits } = candidate.credential;
  const limited = name === null ? null : { name, limits };
  const atUpstream = await admitUpstream(deps.limiter, candidate.client.upstream, limited, expected);
  if (!reservation || !atUpstream.ok) {
    admitted.settle(null);
    const retryAfterMs = atUpstream.ok ? undefined : atUpstream.retryAfterMs;
    return refuse(toCallerError({ kind: 'status', status: 429, retryAfterMs }));
  }
  return {
    ok: true,
    hold: createHold(deps, {
      ...request,
      requestId,
      ...times,
      key,
      table,
      bound: reservation.boundOf(model),
      modelOutput: routed?.model.max_output_tokens ?? null,
      settle: admitted.settle,
      settleUpstream: atUpstream.settle,
      watch,
    }),
  };
}

/** Each hold is watched as the request that it stands for. */
function watchHold(deps: RelayDependencies, id: string, model: string, caller: Caller) {
  const { traceparent } = caller.headers;
  const watch = watchRequest(deps.telemetry, {
    id,
    protocol: PROTOCOL,
    task: 'realtime',
    model,
    traceparent,
  });
  watch.received({ model, stream: true });
  return {
    ...watch,
    ended: (status: number) => watch.ended({ headersSent: true, statusCode: status, writableEnded: true }),
  };
}

interface HeldParts
  extends
    Pick<HoldRequest, 'candidate' | 'model' | 'isOwn'>,
    Pick<SessionHold, 'requestId' | 'bound' | 'modelOutput'> {
  readonly arrivedAt: number;
  readonly beganAt: number;
  readonly key: KeyRecord;
  readonly table: RoutingTable;
  readonly settle: Extract<Admitted, { ok: true }>['settle'];
  readonly settleUpstream: (used: Readonly<Counts> | null) => void;
  readonly watch: ReturnType<typeof watchHold>;
}

/** What is held is settled once: by what was used, or by nothing. */
function createHold(deps: RelayDependencies, parts: HeldParts): SessionHold {
  const { requestId, bound, modelOutput, candidate, model, table, watch } = parts;
  const { ended } = watch;
  let isOver = false;
  return {
    requestId,
    bound,
    modelOutput,
    async record(metered, end, firstByteAt) {
      if (isOver) return;
      isOver = true;
      const event = usageEvent({
        requestId,
        arrivedAt: parts.arrivedAt,
        firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - parts.beganAt,
        latencyMs: performance.now() - parts.beganAt,
        key: parts.key,
        protocol: PROTOCOL,
        task: 'realtime',
        model,
        stream: true,
        snapshotVersion: table.version,
        snapshotHash: table.hash,
        candidate: parts.isOwn ? candidate : { ...candidate, upstreamModel: model },
        status: 200,
        end,
        metered,
        bound,
        traceparent: watch.trace?.traceparent,
      });
      if (event.disputed) candidate.target.disputed();
      const durable = deps.publisher.publish(event);
      watch.recorded(event);
      parts.settle(event.lines.map(toPricedLine));
      parts.settleUpstream(event.lines[0]?.counts ?? {});
      ended(200);
      await durable;
    },
    release() {
      if (isOver) return;
      isOver = true;
      parts.settle(null);
      parts.settleUpstream(null);
      ended(200);
    },
  };
}
