import { NOT_FORESEEN, watchRequest } from '../telemetry/request-watch.ts';
import type { RelayDependencies, RelayRequest } from './relay-request.ts';
import { relay } from './relay.ts';
import { sendError } from './send-error.ts';

/** Relays one request, and records what becomes of it. What nobody foresaw is answered too. Never rejects. */
export async function relayWatched(
  deps: RelayDependencies,
  request: Omit<RelayRequest, 'watch'>,
): Promise<void> {
  const { incoming, response, requestId: id, protocol, task, pathModel: model } = request;
  const traceparent = incoming.headers['traceparent'];
  const watch = watchRequest(deps.telemetry, { id, protocol, task: task?.task, model, traceparent });
  try {
    // Made for this alone: a copy of it would cost more than a member.
    await relay(deps, Object.assign(request, { watch }));
  } catch (error) {
    watch.broke(error);
    if (response.headersSent) response.destroy();
    else sendError(request, NOT_FORESEEN);
  } finally {
    watch.ended(response);
  }
}
