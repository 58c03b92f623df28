import { CLIENT_LEFT, type UsageEvent } from '@tollgate/contracts';
import {
  chargeGivenUp,
  countOwn,
  meterTask,
  type Metered,
  tokensWrittenIn,
  type UsageBound,
  withUnseenReasoning,
} from '@tollgate/metering';
import type { Counts } from '@tollgate/vocabulary';
import type { RequestBound } from '../admit/reserve.ts';
import type { Asked } from '../forward/forward.ts';
import type { LostAttempt } from '../forward/lost.ts';
import { estimateUse, type RequestAdmission } from './admit-request.ts';
import type { Departure } from './departures.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';
import type { StreamResult } from './send-upstream-answer.ts';
import type { RequestEstimate } from './shaped.ts';
import { LOST, readCost, toPricedLine, usageEvent } from './usage-event.ts';

/** Who answered, or was at work when its answer was given up. */
interface AnsweredBy extends Asked {
  readonly status: number;
}

/** Puts what a request used into the books. Nothing is told of a request that is not billed. */
export interface UsageRecorder {
  /** Records an answer and settles what was held for it. Resolves once that is durable. */
  recordAnswer(
    answeredBy: AnsweredBy,
    result: StreamResult,
    settleUpstream: (used: Readonly<Counts>) => void,
  ): Promise<void>;
  /**
   * Charges an answer that was given up before its first byte, as its client had left: of it nothing but its request is
   * known, and what a task has usually. Nothing is charged where nobody was at work.
   */
  recordUnanswered(asked: Asked | undefined): Promise<void>;
  /**
   * Records an attempt that brought nothing, as the operator's cost. Of what it used only the request is known, and how long
   * its upstream had to write. Of a task it counts what is charged where an upstream reports nothing.
   */
  recordLost(attempt: LostAttempt): void;
}

export function createUsageRecorder(
  deps: Pick<RelayDependencies, 'publisher' | 'unseenReasoning'>,
  request: RelayRequest,
  of: {
    readonly asked: AskedRequest;
    readonly admission: RequestAdmission;
    readonly departure: Pick<Departure, 'endedBy'>;
  },
): UsageRecorder {
  if (request.action === 'count') return NOT_BILLED;
  const { asked, admission, departure } = of;
  const common = describeCommon(request, asked);
  let lost = 0;

  function recordAnswer(
    answeredBy: AnsweredBy,
    result: StreamResult,
    settleUpstream: (used: Readonly<Counts>) => void,
  ): Promise<void> {
    const { model, candidate, status } = answeredBy;
    const { reservation } = admission;
    const bound = reservation?.boundOf(model);
    if (result.metered.source === 'upstream') deps.unseenReasoning.note(candidate, result.metered.tokens);
    const isGivenUp = result.read === 'given_up' && departure.endedBy() === 'limit';
    const metered = bound ? meterWithin(deps, answeredBy, result, { bound, isGivenUp }) : result.metered;
    const event = usageEvent({
      ...common,
      requestId: request.requestId,
      arrivedAt: asked.arrivedAt,
      model,
      candidate,
      status,
      end: result.end,
      firstByteMs: result.firstByteAt === undefined ? undefined : result.firstByteAt - asked.beganAt,
      latencyMs: performance.now() - asked.beganAt,
      metered,
      bound,
      chargedBy: (lines) => reservation && readCost(result.metered, lines, reservation.listedOf),
    });
    if (event.disputed) candidate.target.disputed();
    const durable = deps.publisher.publish(event);
    request.watch.recorded(event, result.finishReasons);
    // What was reported beyond the bound drives no limit.
    admission.settle(event.lines.map(toPricedLine));
    settleUpstream(event.lines[0]?.counts ?? {});
    return durable;
  }

  return {
    recordAnswer,
    async recordUnanswered(attempt) {
      if (!attempt) return;
      const metered = countOwn(estimateUse(admission, attempt.model));
      const result = { end: 'client_aborted', read: 'given_up', firstByteAt: undefined, metered } as const;
      await recordAnswer({ ...attempt, status: CLIENT_LEFT.status }, result, () => {});
    },
    recordLost(attempt) {
      const requestId = `${request.requestId}.${(lost += 1)}`;
      const event = describeLost(common, admission, requestId, attempt);
      void deps.publisher.publish(event);
      request.watch.lost(event);
    },
  };
}

/** What all events of a request have in common. */
const describeCommon = (request: RelayRequest, { key, table, summary }: AskedRequest) => ({
  key,
  protocol: request.protocol,
  task: request.task?.task,
  stream: summary.stream,
  snapshotVersion: table.version,
  snapshotHash: table.hash,
  traceparent: request.watch.trace?.traceparent,
});

function describeLost(
  common: ReturnType<typeof describeCommon>,
  admission: RequestAdmission,
  requestId: string,
  attempt: LostAttempt,
): UsageEvent {
  const { candidate, model, cause, beganAt, ranMs } = attempt;
  const bound = admission.reservation?.boundOf(model);
  return usageEvent({
    ...common,
    requestId,
    arrivedAt: beganAt,
    firstByteMs: undefined,
    latencyMs: ranMs,
    model,
    candidate,
    ...LOST,
    metered: meterLost(attempt, estimateUse(admission, model), bound),
    bound,
    lost: cause,
  });
}

function meterLost(
  { candidate: { protocol, task }, ranMs, paid }: LostAttempt,
  estimate: RequestEstimate,
  bound: RequestBound | undefined,
): Metered {
  if (task && paid) return meterTask(protocol, task, paid.answers, shareOf(estimate, paid));
  if (Object.keys(estimate.written ?? {}).length > 0) return countOwn(estimate);
  const written = tokensWrittenIn(ranMs);
  return countOwn({ ...estimate, written: { output: Math.min(written, bound?.output ?? written) } });
}

/** What the calls that were answered are of all calls, in whole tokens and units. */
function shareOf(
  { tokens, units }: RequestEstimate,
  { answers, calls }: NonNullable<LostAttempt['paid']>,
): RequestEstimate {
  const share = (count = 0) => Math.ceil((count * answers.length) / calls);
  return {
    tokens: share(tokens),
    units: Object.fromEntries(Object.entries(units).map(([kind, count]) => [kind, share(count)])),
    written: {},
  };
}

/** Counting tokens is free, and what goes on after its answer is billed at its end. */
export const NOT_BILLED: UsageRecorder = {
  recordAnswer: async () => {},
  recordUnanswered: async () => {},
  recordLost: () => {},
};

/** What an answer is charged for that is bounded: all of the bound where its client left it for too long. */
const meterWithin = (
  deps: Pick<RelayDependencies, 'unseenReasoning'>,
  answeredBy: AnsweredBy,
  { metered }: StreamResult,
  { bound, isGivenUp }: { readonly bound: RequestBound; readonly isGivenUp: boolean },
): Metered =>
  isGivenUp ? chargeGivenUp(metered, bound, bound) : withUnseen(deps, answeredBy, metered, bound);

/** Where the usage never came, of a model that is known to reason unseen, its time tells how much that may have been. */
const withUnseen = (
  { unseenReasoning }: Pick<RelayDependencies, 'unseenReasoning'>,
  { candidate, ranMs }: AnsweredBy,
  metered: Metered,
  { output }: UsageBound,
): Metered => (unseenReasoning.isKnownOf(candidate) ? withUnseenReasoning(metered, ranMs, output) : metered);
