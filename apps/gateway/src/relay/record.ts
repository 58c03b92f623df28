import { chargeGivenUp } from '@tollgate/metering';
import { totalTokens } from '../admit/admit.ts';
import type { Asked } from '../forward/forward.ts';
import type { AdmittedCall, Call, RelayRooms } from './call.ts';
import type { Passed } from './deliver.ts';
import type { Departure } from './departures.ts';
import { usageEvent } from './usage-event.ts';

/** Who answered, or was at work when its answer was given up. */
export interface AnsweredBy extends Asked {
  readonly status: number;
}

/** As other front doors write it of a request whose client left before it was answered. */
const CLIENT_LEFT = 499;

/**
 * Puts what a request used into the books, and settles what was held for it. Resolves with the tokens that it is charged,
 * once they are durable.
 */
export async function record(
  rooms: Pick<RelayRooms, 'publisher'>,
  { call, admitted, departure }: Answering,
  { model, candidate, status }: AnsweredBy,
  passed: Passed,
  settleUpstream: (tokens: number) => void,
): Promise<void> {
  const { arrivedAt, key, received, table, reservation } = admitted;
  const { trace } = call.watch;
  const bound = reservation?.boundOf(model);
  const isGivenUp = passed.read === 'given_up' && departure.endedBy() === 'limit';
  const event = usageEvent({
    requestId: call.requestId,
    arrivedAt,
    key,
    protocol: call.protocol,
    stream: received.request.stream,
    traceparent: trace?.traceparent,
    model,
    candidate,
    status,
    snapshotVersion: table.version,
    snapshotHash: table.hash,
    end: passed.end,
    firstByteAt: passed.firstByteAt,
    metered: isGivenUp && bound ? chargeGivenUp(passed.metered, bound) : passed.metered,
    bound,
    endedAt: Date.now(),
  });
  const durable = rooms.publisher.publish(event);
  call.watch.recorded(event);
  // What was reported beyond the bound drives no limit.
  admitted.settle(event.tokens, model);
  settleUpstream(totalTokens(event.tokens));
  await durable;
}

/** A request that is being answered. */
export interface Answering {
  readonly call: Call;
  readonly admitted: AdmittedCall;
  readonly departure: Departure;
}

/** Charges an answer that was given up before its first byte, as its client had left: of it nothing but its request is known. */
export function recordUnanswered(
  rooms: Pick<RelayRooms, 'publisher'>,
  answering: Answering,
  asked: Asked,
): Promise<void> {
  const metered = { tokens: { input: answering.admitted.tokens }, source: 'estimated' } as const;
  const passed = { end: 'client_aborted', read: 'given_up', firstByteAt: undefined, metered } as const;
  return record(rooms, answering, { ...asked, status: CLIENT_LEFT }, passed, () => {});
}
