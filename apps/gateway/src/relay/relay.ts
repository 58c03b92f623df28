import { andThen, endOfTurn } from '@tollgate/platform';
import type { RelayError } from '@tollgate/protocols';
import type { KeyRecord } from '@tollgate/contracts';
import { authenticate } from '../authenticate/authenticate.ts';
import type { Answer as UpstreamAnswer } from '../forward/answer.ts';
import type { Execution } from '../idempotency/idempotency.ts';
import { admitRequest, type RequestAdmission } from './admit-request.ts';
import { beginExecution } from './begin-execution.ts';
import { buildOutgoingRequest } from './build-outgoing-request.ts';
import { sendCount } from './count.ts';
import { deliver } from './deliver.ts';
import type { Departure } from './departures.ts';
import { forwardRequest } from './forward-request.ts';
import { USAGE_NOT_STORED } from './not-ready.ts';
import { recallResponses } from './recall-responses.ts';
import { receive } from './receive.ts';
import { createUsageRecorder } from './record-usage.ts';
import { refuse } from './refuse.ts';
import type { RelayDependencies, RelayRequest } from './relay-request.ts';
import { refuseUnserved, routeRequest } from './route-request.ts';
import { beginInBackground } from './run-in-background.ts';
import { selectPrices } from './select-prices.ts';

/**
 * One request, top to bottom. A step that refuses ends the story; only an answer that came from an upstream is metered
 * and published. What a step has taken is given back at the end, the last first, so a promise is awaited before it is
 * returned. `docs/request-life.md` shows every exit.
 */
export async function relay(deps: RelayDependencies, request: RelayRequest): Promise<void> {
  const [arrivedAt, beganAt] = [Date.now(), performance.now()];
  const authenticated = await identify(deps, request);
  if (!authenticated.ok) return refuse(request, authenticated);
  const outOfService = checkService(deps, request);
  if (outOfService) return refuse(request, { error: outOfService });

  const received = await receive(deps, request, authenticated.key);
  if (received.ok === 'gone') return;
  if (!received.ok) return refuse(request, received);
  const { summary } = received;
  using payload = received.payload;
  request.watch.received(summary);

  const priced = selectPrices(deps.table(), authenticated.key, summary.model, request.task);
  if (!priced.ok) return refuse(request, priced);
  const { key, table } = priced;
  const deadlineAt = readDeadline(request, beganAt);

  const begun = await beginExecution(deps, request, { key, table, summary, payload, deadlineAt });
  if (begun.kind === 'refused') return refuse(request, begun);
  if (begun.kind === 'done') return;
  using execution = begun;

  const recalled = await recallResponses(deps, request, key, payload);
  if (!recalled.ok) return refuse(request, recalled);
  const asked = { arrivedAt, beganAt, deadlineAt, key, table, summary, payload: recalled.payload };

  const routed = routeRequest(request, asked);
  const unserved = refuseUnserved(request, asked, routed);
  if (unserved) return refuse(request, { error: unserved });

  const admitted = await admitRequest(deps, request, asked);
  if (!admitted.ok) return refuse(request, admitted);
  // What is billed was settled by its end; everything else costs nothing.
  using admission = admitted.admission;
  const fail = (error: RelayError) => refuse(request, { error, headers: admission.headers });

  if (routed.kind === 'refused') return fail(routed.error);
  if (routed.kind === 'nobody counts') return await sendCount(request, admission.tokens, admission.headers);

  const begunInBackground = await beginInBackground(deps, request, { asked, admission, routed });
  if (!begunInBackground.ok) return fail(begunInBackground.error);
  using background = begunInBackground.background;
  const mayGoOn = background !== undefined;
  using departure = watchDeparture(deps, request, { key, admission, execution, mayGoOn });
  const usage = createUsageRecorder(deps, request, { asked, admission, departure });
  const outgoing = await buildOutgoingRequest(deps, request, {
    asked,
    recalled,
    routed,
    departure,
    background: mayGoOn,
  });
  const forwarded = await forwardRequest(deps, request, outgoing, { asked, admission, routed, usage });
  if (forwarded.kind === 'aborted') return await usage.recordUnanswered(forwarded.asked);
  if (forwarded.kind === 'failed') return fail(forwarded.error);
  using _upstreamLimits = new UpstreamLimits(forwarded);
  const started = background && (await background.start(forwarded));
  if (started?.ok === false) return fail(started.error);

  const delivered = await deliver(deps, request, forwarded, {
    summary,
    admission,
    execution,
    departure: started?.goesOn?.departure ?? departure,
    usage: started?.goesOn?.usage ?? usage,
  });
  if (!delivered.ok) refuse(request, delivered);
}

/** Whose request it is, also where it is refused. */
async function identify(deps: RelayDependencies, request: RelayRequest) {
  await endOfTurn();
  const { incoming, queryKey, clientAddress } = request;
  const { headers, socket: connection } = incoming;
  const authenticating = authenticate(deps, { headers, queryKey, clientAddress, connection });
  return andThen(authenticating, (authenticated) => {
    if (authenticated.key) request.watch.authenticated(authenticated.key);
    return authenticated;
  });
}

function watchDeparture(
  { departures }: RelayDependencies,
  { response }: RelayRequest,
  of: {
    readonly key: KeyRecord;
    readonly admission: RequestAdmission;
    readonly execution: Execution;
    readonly mayGoOn: boolean;
  },
): Departure {
  const { key, admission, execution, mayGoOn } = of;
  return departures.watch({
    response,
    keyId: key.key_id,
    keepsAnswer: execution.keepsAnswer,
    mayGoOn,
    // Whoever comes again finds room, and is no duplicate of a stream that nobody reads.
    onGone() {
      admission.freeSlots();
      void execution.release();
    },
  });
}

/** Why no request of this kind is served, whoever asks. */
function checkService(deps: RelayDependencies, { incoming, action }: RelayRequest): RelayError | undefined {
  const loop = deps.hops.refusal(incoming.headers);
  if (loop) return loop;
  return action !== 'count' && !deps.storesUsage() ? USAGE_NOT_STORED : undefined;
}

/** SDKs of OpenAI and Anthropic say after how many seconds they give up. */
function readDeadline({ incoming }: RelayRequest, beganAt: number): number {
  const seconds = Number(incoming.headers['x-stainless-timeout'] ?? Number.NaN);
  return seconds > 0 ? beganAt + seconds * 1_000 : Number.POSITIVE_INFINITY;
}

/** What used tokens of its upstream's limits is settled by its end; anything else used none. */
class UpstreamLimits implements Disposable {
  readonly #settle: UpstreamAnswer['settle'];

  constructor({ settle }: UpstreamAnswer) {
    this.#settle = settle;
  }

  [Symbol.dispose](): void {
    this.#settle(null);
  }
}
