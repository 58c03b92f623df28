import { text } from 'node:stream/consumers';
import { waitFor } from '@tollgate/harness';
import { type ClientOptions, WebSocket } from 'ws';

/** An event as it came, with what tests read of it. */
export interface SocketEvent {
  readonly type: string;
  readonly stream_id?: string;
  readonly delta?: string;
  /** In the first event of a response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: {
    readonly id: string;
    readonly output: readonly { readonly type: string; readonly call_id?: string }[];
  };
}

/** A connection to `/v1/responses`, as Codex opens it. */
export interface ResponsesSocket {
  readonly socket: WebSocket;
  /** Everything that came, in its order. */
  readonly events: readonly SocketEvent[];
  send(message: unknown): void;
  /** Asks for a response, and resolves with what came up to its end. */
  ask(message: object): Promise<readonly SocketEvent[]>;
  /** Resolves once an event came that fits, which may be one of those before. */
  next(fits: (event: SocketEvent) => boolean): Promise<SocketEvent>;
  /** Resolves with the code that the connection was closed with. */
  readonly closed: Promise<number>;
}

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
export const isEnd = (event: SocketEvent): boolean => ENDS.has(event.type);

const PATIENCE_MS = 20_000;

/** @throws with the status and what was answered where the connection is refused. */
export function untilOpen(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve).once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      text(response).then(
        (body) => reject(new Error(`Unexpected server response: ${response.statusCode} ${body}`)),
        reject,
      );
    });
  });
}

/** @throws with the status and what was answered where the connection is refused. */
export async function openResponses(
  baseUrl: string,
  key: string,
  options: ClientOptions = {},
): Promise<ResponsesSocket> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/responses`, {
    ...options,
    headers: {
      authorization: `Bearer ${key}`,
      'openai-beta': 'responses_websockets=2026-02-06',
      ...options.headers,
    },
  });
  const events: SocketEvent[] = [];
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve));
  socket.on('message', (data) => events.push(JSON.parse((data as Buffer).toString('utf8')) as SocketEvent));
  await untilOpen(socket);
  socket.on('error', () => {});
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  const next = (fits: (event: SocketEvent) => boolean) =>
    waitFor(() => events.find(fits), 'an event', PATIENCE_MS, 5);
  return {
    socket,
    events,
    send,
    next,
    closed,
    async ask(message) {
      const from = events.length;
      send({ type: 'response.create', ...message });
      const end = await next((event) => events.indexOf(event) >= from && isEnd(event));
      return events.slice(from, events.indexOf(end) + 1);
    },
  };
}

/** What the events of one response come to. */
export function readResponse(events: readonly SocketEvent[]) {
  const text = events
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(({ delta }) => delta)
    .join('');
  const response = events.at(-1)?.response;
  if (!response) throw new Error(`no response: ${JSON.stringify(events)}`);
  return { response, text, requestId: events[0]?.headers?.['x-request-id'] ?? '' };
}
