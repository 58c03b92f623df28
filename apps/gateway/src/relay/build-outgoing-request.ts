import { andThen } from '@tollgate/platform';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { recallReasoning } from '../reasoning/recall-reasoning.ts';
import type { Departure } from './departures.ts';
import type { RecalledRequest } from './recall-responses.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';
import type { RoutedRequest } from './route-request.ts';

/** Builds the request for upstreams, before it is fitted to one of them. */
export function buildOutgoingRequest(
  deps: RelayDependencies,
  { protocol, action, task, incoming, query, framing }: RelayRequest,
  of: {
    readonly asked: AskedRequest;
    readonly recalled: RecalledRequest;
    readonly routed: RoutedRequest;
    readonly departure: Departure;
    readonly background: boolean;
  },
): OutgoingRequest | Promise<OutgoingRequest> {
  const { asked, recalled, routed, departure, background } = of;
  const { key, payload } = asked;
  const { model, stream, includeUsage, output } = asked.summary;
  const sent = { protocol, payload, accountId: key.account_id, states: deps.states };
  const recalling = task ? undefined : recallReasoning(deps.statePlaces, sent, routed.stages);
  return andThen(recalling, (reasoning) => ({
    protocol,
    action,
    task,
    headers: incoming.headers,
    passHeaders: deps.passHeaders,
    hops: deps.hops.next(incoming.headers),
    query,
    payload,
    model,
    namedModel: model,
    stream,
    background,
    framing,
    includeUsage,
    outputLimit: output.limit,
    defaultMaxTokens: routed.defaultMaxTokens,
    strict: key.strict,
    states: deps.states,
    storedIds: deps.storedIds,
    accountId: key.account_id,
    dropped: recalled.dropped,
    keeping: routed.stages.some(({ candidates }) => candidates.some((each) => each.protocol !== protocol))
      ? recalled.beginKeeping()
      : undefined,
    gone: departure.gone,
    // A count costs nothing: nobody reads on for it.
    signal: action === 'count' ? departure.gone : departure.ended,
    reasoning,
  }));
}
