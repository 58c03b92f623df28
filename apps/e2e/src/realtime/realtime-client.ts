import { waitFor } from '@tollgate/harness';
import { type ClientOptions, WebSocket } from 'ws';
import { untilOpen } from '../websocket-client.ts';

/** An event of a session, with what tests read of it. */
interface RealtimeEvent {
  readonly type: string;
  readonly delta?: string;
  readonly item_id?: string;
  readonly session?: {
    readonly model: string;
    readonly audio: {
      readonly input: { readonly turn_detection: object | null; readonly transcription: object | null };
    };
  };
  readonly response?: {
    readonly id: string;
    readonly status: string;
    readonly usage: object | null;
    readonly output: readonly { readonly type: string; readonly call_id?: string }[];
  };
  readonly error?: {
    readonly code: string | null;
    readonly message: string;
    readonly event_id: string | null;
  };
}

/** A session over `/v1/realtime`. */
export interface RealtimeClient {
  readonly socket: WebSocket;
  readonly events: readonly RealtimeEvent[];
  send(event: object): void;
  /** Resolves with the next event of a type, or with an error, from here on. */
  next(...types: string[]): Promise<RealtimeEvent>;
  /** Says something in text, and resolves with the end of the answer. */
  ask(text: string, response?: object): Promise<RealtimeEvent>;
  /** Resolves with the code that the connection was closed with. */
  readonly closed: Promise<number>;
}

const PATIENCE_MS = 20_000;

/** @throws with the status and what was answered where the connection is refused. */
export async function openRealtime(
  baseUrl: string,
  {
    key,
    model,
    subprotocols = [],
    query = '',
  }: {
    /** Empty where none is sent in a header. */
    readonly key: string;
    readonly model: string;
    readonly subprotocols?: string[];
    readonly query?: string;
  },
  options: ClientOptions = {},
): Promise<RealtimeClient> {
  const headers = { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...options.headers };
  const url = `${baseUrl.replace('http', 'ws')}/v1/realtime?model=${encodeURIComponent(model)}${query}`;
  const socket = new WebSocket(url, subprotocols, { ...options, headers });
  const events: RealtimeEvent[] = [];
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve));
  socket.on('message', (data) => events.push(JSON.parse((data as Buffer).toString('utf8')) as RealtimeEvent));
  await untilOpen(socket);
  socket.on('error', () => {});
  let read = 0;
  const next = (...types: string[]) => {
    const from = read;
    return waitFor(
      () => {
        const index = events.findIndex(({ type }, at) => at >= from && types.includes(type));
        if (index < 0) return undefined;
        read = index + 1;
        return events[index];
      },
      types.join(' or '),
      PATIENCE_MS,
      5,
    );
  };
  const send = (event: object) => socket.send(JSON.stringify(event));
  return {
    socket,
    events,
    send,
    next,
    closed,
    ask(text, response = {}) {
      send(say(text));
      send({ type: 'response.create', response: { output_modalities: ['text'], ...response } });
      return next('response.done', 'error');
    },
  };
}

export const say = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

const BYTES_PER_MS = 48;
/** Sound of so many milliseconds, as PCM with 24,000 samples a second. */
export const hear = (ms: number, isSilent = false) => ({
  type: 'input_audio_buffer.append',
  audio: Buffer.alloc(ms * BYTES_PER_MS, isSilent ? 0 : 1).toString('base64'),
});
