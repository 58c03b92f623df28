import { listUsableUnits } from '../admit/admit.ts';
import { admitUpstream } from '../admit/upstream-limits.ts';
import { forward, type Forwarded, type ForwardOptions } from '../forward/forward.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { promptKey } from '../route/prompt-key.ts';
import type { RequestAdmission } from './admit-request.ts';
import { keepWaiting } from './early-stream.ts';
import type { UsageRecorder } from './record-usage.ts';
import type { AskedRequest, RelayDependencies, RelayRequest } from './relay-request.ts';
import type { RoutedRequest } from './route-request.ts';

/** Asks one upstream after the other until one answers. From then on nobody needs the body any more. */
export async function forwardRequest(
  deps: RelayDependencies,
  request: RelayRequest,
  outgoing: OutgoingRequest,
  of: {
    readonly asked: AskedRequest;
    readonly admission: RequestAdmission;
    readonly routed: RoutedRequest;
    readonly usage: UsageRecorder;
  },
): Promise<Forwarded> {
  const { asked, admission, routed, usage } = of;
  const { key, payload, deadlineAt } = asked;
  const { tokens, units } = admission;
  let usable: typeof units | undefined;
  const options: ForwardOptions = {
    deadlineAt,
    answerLimitBytes: deps.limits.answerLimitBytes,
    sticky: { keyId: key.key_id, prompt: () => promptKey(payload.json) },
    admit({ client, credential: { name, limits } }) {
      const limited = name === null ? null : { name, limits };
      const isUnitLimited = client.upstream.limits.units_per_minute ?? limits.units_per_minute;
      if (isUnitLimited) usable ??= listUsableUnits({ ...admission, model: asked.summary.model });
      const cost = { tokens, units: isUnitLimited ? (usable ?? units) : units };
      return admitUpstream(deps.limiter, client.upstream, limited, cost);
    },
    lost: usage.recordLost,
    attempted: request.watch.attempted,
  };
  const stopWaiting = outgoing.stream
    ? keepWaiting(request.response, request, deps.limits.keepAliveMs, () => admission.headers)
    : undefined;
  try {
    return await forward(routed.stages, outgoing, options);
  } finally {
    stopWaiting?.();
    payload.letGo();
  }
}
