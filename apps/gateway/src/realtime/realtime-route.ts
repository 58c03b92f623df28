import type { IncomingMessage } from 'node:http';
import { relayError, type RelayError } from '@tollgate/protocols';
import { lookAtCredit } from '../admit/admit.ts';
import { newRequestId } from '../front-door/request-id.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { selectSessionPrices } from '../relay/select-prices.ts';
import { closeOver, watchArrivals } from '../websocket/arrivals.ts';
import type { OpenSockets, SocketRefusal } from '../websocket/open-sockets.ts';
import type { SocketRoute } from '../websocket/socket-route.ts';
import { connectUpstream } from './connect.ts';
import { renderRealtimeError } from './error-event.ts';
import { RealtimeSession } from './session.ts';

/** OpenAI takes 15 MiB of sound in one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Browsers cannot send headers: OpenAI's clients put the key into a subprotocol there. */
const KEY_PROTOCOL = /^openai-insecure-api-key\.(.+)$/;

/** `GET /v1/realtime`: a session with a model, at an upstream that is asked for it before the client's connection opens. */
export function createRealtimeRoute(deps: RelayDependencies, { limits }: OpenSockets): SocketRoute {
  return {
    maxBytes: Math.min(MAX_MESSAGE_BYTES, deps.limits.bodyLimitBytes),
    subprotocol: 'realtime',
    findKey: findProtocolKey,
    explain: (refusal) => EXPLAINED[refusal],
    async prepare({ caller, key, query, isThere }) {
      const asked = readModel(query, caller.headers['openai-beta']);
      if ('kind' in asked) return { ok: false, error: asked };
      const { model } = asked;
      const priced = selectSessionPrices(deps.table(), key, model, true);
      if (!priced.ok) return priced;
      const routed = priced.table.groups.get(priced.key.group)?.models.get(model);
      const requestId = newRequestId();
      const empty = await lookAtCredit(deps, { key: priced.key, requestId, arrivedAt: Date.now() });
      if (empty) return { ok: false, error: empty };
      const { key_id: keyId } = key;
      const { passHeaders } = deps;
      const connected = await connectUpstream(routed?.realtime ?? [], {
        headers: caller.headers,
        passHeaders,
        hops: deps.hops.next(caller.headers),
        keyId,
        isThere,
      });
      if (!connected.ok) return connected;
      const { session: upstream } = connected;
      return {
        ok: true,
        leave() {
          upstream.socket.terminate();
          upstream.end();
        },
        begin(client, transport) {
          const memory = { bodyMemory: deps.bodyMemory, keyId };
          const arrivals = watchArrivals(transport, memory, (error) =>
            closeOver(client, error, renderRealtimeError(error)),
          );
          const of = { caller: { ...caller, key }, model, limits, arrivals };
          return new RealtimeSession({ deps, client, transport, upstream, ...of });
        },
      };
    },
  };
}

function findProtocolKey({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? [];
  return offered.map((each) => KEY_PROTOCOL.exec(each)?.[1]).find((key) => key !== undefined);
}

function readModel(
  query: URLSearchParams,
  beta: string | readonly string[] | undefined,
): { readonly model: string } | RelayError {
  for (const [name, why] of NOT_SERVED)
    if (query.has(name)) return relayError('unsupported', `${name}: ${why}`, { param: name });
  if (beta !== undefined && String(beta).includes('realtime=v1')) return NO_BETA;
  const model = query.get('model') ?? '';
  return model === '' || model.length > 256 ? NO_MODEL : { model };
}

const NOT_SERVED = [
  ['call_id', 'calls over WebRTC and SIP are not served. Open a session with a model.'],
  ['intent', 'sessions that only transcribe are not served. Open a session with a model.'],
] as const;
const NO_BETA = relayError(
  'unsupported',
  'openai-beta: the beta of this interface, "realtime=v1", is not served. Leave the header out.',
  { param: 'openai-beta' },
);
const NO_MODEL = relayError(
  'invalid_request',
  'model: must be named in the query, as in ?model=gpt-realtime.',
  {
    param: 'model',
  },
);

const later = (message: string): RelayError => relayError('rate_limited', message, { retryAfterMs: 1_000 });
const EXPLAINED: Readonly<Record<SocketRefusal, RelayError>> = {
  'not served': relayError('unsupported', 'WebSockets are not served here.'),
  stopping: relayError('unavailable', 'This server stops. Try again, and another one serves you.', {
    retryAfterMs: 1_000,
  }),
  'all taken': later('This server has as many WebSocket connections open as it may. Try again later.'),
  'key full': later('This API key has as many WebSocket connections open as it may. Close one.'),
};
