import {
  chargeGivenUp,
  type Metered,
  tokensWrittenIn,
  type UsageBound,
  withUnseenReasoning,
} from '@tollgate/metering';
import { totalTokens } from '../admit/admit.ts';
import type { Asked } from '../forward/forward.ts';
import type { LostAttempt } from '../forward/lost.ts';
import type { AdmittedRequest, RelayRequest, RelayDependencies } from './relay-request.ts';
import type { StreamResult } from './deliver.ts';
import type { Departure } from './departures.ts';
import { usageEvent } from './usage-event.ts';

/** Who answered, or was at work when its answer was given up. */
interface AnsweredBy extends Asked {
  readonly status: number;
}

/** Of an attempt that nobody has the answer of. */
const LOST_STATUS = 504;
/** As other front doors write it of a request whose client left before it was answered. */
const CLIENT_LEFT = 499;

/**
 * Puts what a request used into the books, and settles what was held for it. Resolves with the tokens that it is charged,
 * once they are durable.
 */
export async function record(
  deps: Pick<RelayDependencies, 'publisher' | 'unseenReasoning'>,
  { request, admitted, departure }: Answering,
  answeredBy: AnsweredBy,
  result: StreamResult,
  settleUpstream: (tokens: number) => void,
): Promise<void> {
  const { model, candidate, status } = answeredBy;
  const bound = admitted.reservation?.boundOf(model);
  const isGivenUp = result.read === 'given_up' && departure.endedBy() === 'limit';
  if (result.metered.source === 'upstream') deps.unseenReasoning.note(candidate, result.metered.tokens);
  const metered = !bound
    ? result.metered
    : isGivenUp
      ? chargeGivenUp(result.metered, bound)
      : withUnseen(deps, answeredBy, result.metered, bound);
  const event = usageEvent({
    ...factsOf({ request, admitted }),
    requestId: request.requestId,
    arrivedAt: admitted.arrivedAt,
    model,
    candidate,
    status,
    end: result.end,
    firstByteAt: result.firstByteAt,
    metered,
    bound,
    endedAt: Date.now(),
  });
  const durable = deps.publisher.publish(event);
  request.watch.recorded(event);
  // What was reported beyond the bound drives no limit.
  admitted.settle(event.tokens, model);
  settleUpstream(totalTokens(event.tokens));
  await durable;
}

/** Where the usage never came, of a model that is known to reason unseen, its time tells how much that may have been. */
const withUnseen = (
  { unseenReasoning }: Pick<RelayDependencies, 'unseenReasoning'>,
  { candidate, ranMs }: AnsweredBy,
  metered: Metered,
  { output }: UsageBound,
): Metered => (unseenReasoning.isKnownOf(candidate) ? withUnseenReasoning(metered, ranMs, output) : metered);

/** What all events of a request have in common. */
const factsOf = ({
  request,
  admitted: { key, received, table },
}: Pick<Answering, 'request' | 'admitted'>) => ({
  key,
  protocol: request.protocol,
  stream: received.request.stream,
  snapshotVersion: table.version,
  snapshotHash: table.hash,
  traceparent: request.watch.trace?.traceparent,
});

/** A request that is being answered. */
export interface Answering {
  readonly request: RelayRequest;
  readonly admitted: AdmittedRequest;
  readonly departure: Departure;
  /** Books an attempt that brought nothing. */
  readonly lost: (attempt: LostAttempt) => void;
}

/** Charges an answer that was given up before its first byte, as its client had left: of it nothing but its request is known. */
export function recordUnanswered(
  deps: Pick<RelayDependencies, 'publisher' | 'unseenReasoning'>,
  answering: Answering,
  asked: Asked,
): Promise<void> {
  const metered = { tokens: { input: answering.admitted.tokens }, source: 'estimated' } as const;
  const result = { end: 'client_aborted', read: 'given_up', firstByteAt: undefined, metered } as const;
  return record(deps, answering, { ...asked, status: CLIENT_LEFT }, result, () => {});
}

/**
 * Books attempts of a request that brought nothing as the operator's cost. Of what one used only the request is known, and how
 * long its upstream had to write.
 */
export function recordsLost(
  { publisher }: Pick<RelayDependencies, 'publisher'>,
  request: RelayRequest,
  admitted: AdmittedRequest,
): (attempt: LostAttempt) => void {
  let count = 0;
  return ({ candidate, model, cause, beganAt, ranMs }) => {
    const bound = admitted.reservation?.boundOf(model);
    const written = tokensWrittenIn(ranMs);
    const event = usageEvent({
      ...factsOf({ request, admitted }),
      requestId: `${request.requestId}.${(count += 1)}`,
      arrivedAt: beganAt,
      endedAt: Math.round(beganAt + ranMs),
      firstByteAt: undefined,
      model,
      candidate,
      status: LOST_STATUS,
      end: 'upstream_cut',
      metered: {
        source: 'estimated',
        tokens: { input: admitted.tokens, output: Math.min(written, bound?.output ?? written) },
      },
      bound,
      lost: cause,
    });
    void publisher.publish(event);
    request.watch.lost(event);
  };
}
