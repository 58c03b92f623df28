import { once } from 'node:events';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { WebSocket } from 'ws';
import type { AuthenticationRequest } from '../authenticate/authenticate.ts';
import type { BodyLease } from '../body/body-memory.ts';
import { newRequestId } from '../front-door/request-id.ts';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { relayWatched } from '../relay/relay-watched.ts';
import type { Arrivals } from './arrivals.ts';
import { type EarlierResponses, readEndedResponse } from './earlier-responses.ts';
import {
  NOT_FINISHED,
  renderRelayError,
  renderSocketError,
  STOPPING,
  TOO_MANY_AT_ONCE,
  TOO_MANY_STREAMS,
  TOO_OLD,
} from './error-events.ts';
import { MessageRequest, MessageResponse } from './message-exchange.ts';
import { findKeyTrouble, type OpenSocket } from './open-sockets.ts';
import { type CreateMessage, readMessage } from './read-message.ts';
import type { SocketLimits } from './settings.ts';
import { type Transport, watchSilence } from './silence.ts';
import { answerWarmUp } from './warm-up.ts';

/** As many as OpenAI has at work at once on one connection, and as many names of streams. */
const MAX_AT_ONCE = 16;
const MAX_STREAMS = 32;
/** Whoever sends so many messages in a row that nothing can be done with is cut off. */
const MAX_REFUSED_IN_A_ROW = 100;

/** Why a connection is closed. Codes of RFC 6455 (7.4.1) and of its registry; clients of OpenAI connect again but after 1008. */
interface Close {
  readonly code: number;
  readonly reason: string;
  /** What whoever asks for something more is told, and who asks for nothing too. */
  readonly event: (streamId?: string) => string;
}

const refusal = (error: RelayError) => (streamId?: string) =>
  renderRelayError(error, newRequestId(), streamId);
const IDLE = relayError(
  'request_timeout',
  'Nothing was asked for on this WebSocket connection for too long.',
);
const FLOOD = relayError('invalid_request', 'Too many messages in a row could not be served.');
const CLOSES = {
  old: { code: 1001, reason: 'too old', event: (streamId?: string) => renderSocketError(TOO_OLD, streamId) },
  idle: { code: 1001, reason: 'idle', event: refusal(IDLE) },
  stopping: { code: 1012, reason: 'restart', event: refusal(STOPPING) },
  flood: { code: 1008, reason: 'too many messages', event: refusal(FLOOD) },
} as const satisfies Record<string, Close>;

interface SessionParts {
  readonly deps: RelayDependencies;
  readonly socket: WebSocket;
  readonly transport: Transport;
  readonly handshake: AuthenticationRequest;
  readonly limits: Pick<SocketLimits, 'idleMs' | 'maxAgeMs'>;
  readonly earlier: EarlierResponses;
  readonly arrivals: Arrivals;
}

/** One connection of a client: each message that asks for a response is relayed as the POST that it stands for. */
export class Session implements OpenSocket {
  readonly #parts: SessionParts;
  readonly #silence: ReturnType<typeof watchSilence>;
  readonly #openedAt = performance.now();
  readonly #running = new Set<MessageResponse>();
  /** The newest turn of each stream, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #streams = new Set<string>();
  #atOnce = 0;
  #refusedInARow = 0;
  #usedAt = this.#openedAt;
  #closing: Close | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#silence = watchSilence(parts.transport);
    parts.socket
      .on('message', (data, isBinary) => this.#take(data as Buffer, isBinary))
      .on('pong', () => this.#silence.heard())
      // It is closed after that, with the code that the fault has.
      .on('error', () => {})
      .on('close', () => this.#end());
  }

  /** Looks, once in a while, at what ends a connection: its age, its silence, its key. */
  look(): void {
    const { socket, limits } = this.#parts;
    if (!this.#isOpen) return;
    const now = performance.now();
    const state = this.#silence.look(now);
    if (state === 'dead') return socket.terminate();
    if (state === 'silent') socket.ping();
    if (now - this.#openedAt >= limits.maxAgeMs) return this.#close(CLOSES.old);
    if (this.#atOnce === 0 && now - this.#usedAt >= limits.idleMs) return this.#close(CLOSES.idle);
    if (!this.#closing) void this.#checkKey();
  }

  /** Answers what is under way, then closes. */
  drain(): void {
    this.#close(CLOSES.stopping);
  }

  get #isOpen(): boolean {
    const { socket } = this.#parts;
    return socket.readyState === socket.OPEN;
  }

  #send(message: string, sent = (): void => {}): void {
    if (this.#isOpen) this.#parts.socket.send(message, () => sent());
    else setImmediate(sent);
  }

  #close(why: Close): void {
    this.#closing ??= why;
    if (this.#atOnce > 0 || !this.#isOpen) return;
    const { code, reason, event } = this.#closing;
    // Whoever asks for nothing loses nothing by a restart.
    if (this.#closing !== CLOSES.stopping) this.#send(event());
    this.#parts.socket.close(code, reason);
  }

  async #checkKey(): Promise<void> {
    const { deps, handshake } = this.#parts;
    const error = await findKeyTrouble(deps, handshake);
    if (error) this.#close({ code: 1008, reason: error.kind, event: refusal(error) });
  }

  #end(): void {
    this.#parts.arrivals.end();
    this.#parts.earlier.forget();
    // Each of them is as a client that leaves its POST.
    for (const response of this.#running) response.destroy();
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    const { socket, arrivals, deps } = this.#parts;
    const lease = arrivals.takeOver();
    let isBegun = false;
    // What comes while a connection is being closed is not served any more.
    if (this.#isOpen && isBinary) socket.close(1003, 'send text');
    else if (this.#isOpen) {
      this.#usedAt = performance.now();
      const message = readMessage(bytes, deps.limits, newRequestId);
      if (message.kind === 'create') isBegun = this.#begin(message.create, lease);
      else if (message.kind === 'refused') this.#refuse(message.event);
    }
    if (!isBegun) lease.release();
  }

  #refuse(event: string): void {
    this.#refusedInARow += 1;
    this.#send(event);
    if (this.#refusedInARow >= MAX_REFUSED_IN_A_ROW) this.#close(CLOSES.flood);
  }

  /** Why nothing more is begun; undefined where something is. */
  #findRefusal(streamId: string | undefined): string | undefined {
    if (this.#closing) return this.#closing.event(streamId);
    const isNew = streamId !== undefined && !this.#streams.has(streamId);
    if (isNew && this.#streams.size >= MAX_STREAMS) return renderSocketError(TOO_MANY_STREAMS, streamId);
    if (this.#atOnce < MAX_AT_ONCE) return undefined;
    return renderRelayError(TOO_MANY_AT_ONCE, newRequestId(), streamId);
  }

  /** @returns whether the response is begun, or waits for its turn. */
  #begin(message: CreateMessage, lease: BodyLease): boolean {
    const { streamId } = message;
    const refused = this.#findRefusal(streamId);
    if (refused !== undefined) {
      this.#refuse(refused);
      return false;
    }
    if (streamId !== undefined) this.#streams.add(streamId);
    this.#refusedInARow = 0;
    this.#atOnce += 1;
    const place = streamId ?? '';
    const turn = (this.#turns.get(place) ?? Promise.resolve())
      .then(() => (this.#isOpen ? this.#respond(message, lease) : undefined))
      .finally(() => {
        lease.release();
        this.#atOnce -= 1;
        this.#usedAt = performance.now();
        if (this.#turns.get(place) === turn) this.#turns.delete(place);
        if (this.#closing) this.#close(this.#closing);
      });
    this.#turns.set(place, turn);
    return true;
  }

  async #respond(message: CreateMessage, lease: BodyLease): Promise<void> {
    const { deps, earlier, handshake, socket } = this.#parts;
    const { streamId } = message;
    const requestId = newRequestId();
    const continued = earlier.continueFrom(message);
    const response = new MessageResponse({
      streamId,
      send: (text, sent) => this.#send(text, sent),
      ping: () => void (this.#isOpen && socket.ping()),
      onEvent({ event, data }) {
        const ended = readEndedResponse(event, data);
        if (ended) continued.remember(ended);
      },
    });
    this.#running.add(response);
    const { headers, clientAddress, queryKey } = handshake;
    const incoming = new MessageRequest(headers, continued.body);
    const request = { incoming, response, requestId, clientAddress, queryKey, ...AS_POST };
    // From here on the relay counts what the body takes.
    lease.release();
    if (message.generates) await relayWatched(deps, request);
    else await answerWarmUp(deps, request, continued);
    await settle(response);
    this.#running.delete(response);
    if (!response.writableFinished) this.#send(renderRelayError(NOT_FINISHED, requestId, streamId));
  }
}

const AS_POST = {
  protocol: 'openai-responses',
  action: 'generate',
  framing: 'sse',
  pathModel: undefined,
  query: '',
} as const;

/** Resolves when a response has been sent, or nobody is there for it. */
async function settle(response: MessageResponse): Promise<void> {
  if (!response.writableEnded) response.destroy();
  if (!response.closed) await once(response, 'close');
}
