import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayError } from '@tollgate/protocols';
import type { WebSocket } from 'ws';
import type { RelayDependencies } from '../relay/relay-request.ts';
import { selectSessionPrices } from '../relay/select-prices.ts';
import type { Arrivals } from '../websocket/arrivals.ts';
import { findKeyTrouble, type OpenSocket } from '../websocket/open-sockets.ts';
import type { SocketLimits } from '../websocket/settings.ts';
import { type Transport, watchSilence } from '../websocket/silence.ts';
import { type ClientEvent, readClientEvent } from './client-events.ts';
import type { UpstreamSession } from './connect.ts';
import { createContextBound } from './context-bound.ts';
import { ENDED, renderRealtimeError } from './error-event.ts';
import { type Caller, takeHold } from './hold.ts';
import { createSequence, type Sequence, sendMessage } from './sequence.ts';
import { Transcriptions } from './transcriptions.ts';
import { Turns } from './turns.ts';
import { UpstreamEvents } from './upstream-events.ts';

/** Far more than sound comes in; beyond it each message waits a moment. */
const MAX_MESSAGES_PER_SECOND = 1_000;
const MAX_REFUSED_IN_A_ROW = 100;
/** An upstream may take so long to say that a session is ready, and to report usage once its client has left. */
const OPENING_MS = 15_000;
const LAST_USAGE_MS = 10_000;

interface Close {
  readonly code: number;
  readonly error: RelayError;
  /** Nothing under way is waited for. */
  readonly now?: boolean;
}
const CLOSES = {
  old: { code: 1001, error: ENDED.old },
  idle: { code: 1001, error: ENDED.idle },
  stopping: { code: 1012, error: ENDED.stopping },
  flood: { code: 1008, error: ENDED.flood },
  upstream: { code: 1011, error: ENDED.upstream, now: true },
  failed: { code: 1011, error: ENDED.failed, now: true },
} as const satisfies Record<string, Close>;

interface SessionParts {
  readonly deps: RelayDependencies;
  readonly client: WebSocket;
  readonly transport: Transport;
  readonly upstream: UpstreamSession;
  readonly caller: Caller;
  /** As the client names it. */
  readonly model: string;
  readonly limits: Pick<SocketLimits, 'idleMs' | 'maxAgeMs'>;
  readonly arrivals: Arrivals;
}

const SOUND = new Set(['input_audio_buffer.append', 'input_audio_buffer.commit']);

/** A session between a client and one upstream. Events pass in their order; no response begins before it is held for. */
export class RealtimeSession implements OpenSocket {
  readonly #parts: SessionParts;
  readonly #silence: ReturnType<typeof watchSilence>;
  readonly #context = createContextBound();
  readonly #turns: Turns;
  readonly #transcriptions: Transcriptions;
  readonly #ready = Promise.withResolvers<void>();
  readonly #settled = Promise.withResolvers<void>();
  readonly #events: UpstreamEvents;
  readonly #fromClient: Sequence;
  readonly #fromUpstream: Sequence;
  readonly #openedAt = performance.now();
  #usedAt = this.#openedAt;
  #messages = 0;
  #refusedInARow = 0;
  #closing: Close | undefined;

  constructor(parts: SessionParts) {
    const { deps, client, upstream, caller, model } = parts;
    const { candidate, socket } = upstream;
    this.#parts = parts;
    this.#silence = watchSilence(parts.transport);
    this.#turns = new Turns({
      take: (request) => takeHold(deps, { caller, candidate, ...request, model, isOwn: true }),
      context: this.#context,
      send: (event) => void this.#tellUpstream(JSON.stringify(event)),
    });
    this.#transcriptions = new Transcriptions((request) =>
      takeHold(deps, { caller, candidate, ...request, isOwn: false }),
    );
    this.#events = new UpstreamEvents({
      turns: this.#turns,
      transcriptions: this.#transcriptions,
      context: this.#context,
      candidate,
      model,
      logger: deps.telemetry.logger,
      tellUpstream: (message) => this.#tellUpstream(message),
      tellClient: (message) => this.#tellClient(message),
      ready: () => this.#ready.resolve(),
      failed: () => this.#close(CLOSES.upstream),
      hasClient: () => this.#isOpen,
      mayBegin: () => this.#isOpen && !this.#closing,
    });
    const failed = (error: unknown) => {
      deps.telemetry.logger.error({ event: 'realtime_failed', err: error }, 'a session failed');
      this.#close(CLOSES.failed);
    };
    this.#fromClient = createSequence(client, this.#ready.promise, failed);
    this.#fromUpstream = createSequence(socket, Promise.resolve(), failed);
    const late = setTimeout(() => this.#close(CLOSES.upstream), OPENING_MS);
    void this.#ready.promise.then(() => clearTimeout(late));
    client
      .on('message', (data, isBinary) => this.#take(data as Buffer, isBinary))
      .on('pong', () => this.#silence.heard())
      .on('error', () => {})
      .on('close', () => void this.#clientLeft());
    socket.on('message', (data) => {
      const bytes = data as Buffer;
      this.#fromUpstream.push(() => this.#tell(bytes.toString('utf8')), bytes.length);
    });
    socket.on('close', () => this.#fromUpstream.push(() => this.#upstreamLeft(), 0));
    socket.resume();
  }

  look(): void {
    const { client, limits, deps, caller } = this.#parts;
    if (!this.#isOpen) return;
    this.#messages = 0;
    const now = performance.now();
    const state = this.#silence.look(now);
    if (state === 'dead') return client.terminate();
    if (state === 'silent') client.ping();
    if (now - this.#openedAt >= limits.maxAgeMs) return this.#close(CLOSES.old);
    if (this.#turns.count === 0 && now - this.#usedAt >= limits.idleMs) return this.#close(CLOSES.idle);
    if (this.#closing) return;
    void findKeyTrouble(deps, caller).then((error) => error && this.#close({ code: 1008, error }));
  }

  drain(): void {
    this.#close(CLOSES.stopping);
  }

  get #isOpen(): boolean {
    const { client } = this.#parts;
    return client.readyState === client.OPEN;
  }

  #tellClient(message: string): Promise<void> {
    return sendMessage(this.#parts.client, message);
  }

  #tellUpstream(message: string): Promise<void> {
    return sendMessage(this.#parts.upstream.socket, message);
  }

  /** Closes once what is under way has ended. */
  #close(why: Close): void {
    this.#closing = why.now ? why : (this.#closing ?? why);
    if (!this.#isOpen || (this.#turns.count > 0 && !why.now)) return;
    const { code, error } = this.#closing;
    void this.#tellClient(renderRealtimeError(error));
    this.#parts.client.close(code, error.kind);
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    const lease = this.#parts.arrivals.takeOver();
    if (!this.#isOpen || isBinary) {
      lease.release();
      if (isBinary) this.#parts.client.close(1003, 'send text');
      return;
    }
    this.#usedAt = performance.now();
    this.#messages += 1;
    const waits = this.#messages > MAX_MESSAGES_PER_SECOND;
    this.#fromClient.push(async () => {
      try {
        if (waits) await sleep(20);
        if (this.#isOpen) await this.#serve(bytes);
      } finally {
        lease.release();
      }
    }, bytes.length);
  }

  async #serve(bytes: Buffer): Promise<void> {
    const { deps, caller, model, upstream } = this.#parts;
    const event = readClientEvent(bytes, {
      maxValues: deps.limits.bodyValues,
      model,
      upstreamModel: upstream.candidate.upstreamModel,
      mayUse: (other) => selectSessionPrices(deps.table(), caller.key, other, false).ok,
    });
    const error = event.kind === 'refused' ? event.error : await this.#obey(event, bytes);
    if (!error) this.#refusedInARow = 0;
    if (!error || error === 'told already') return;
    this.#refusedInARow += 1;
    await this.#tellClient(renderRealtimeError(error, event.eventId));
    if (this.#refusedInARow >= MAX_REFUSED_IN_A_ROW) this.#close(CLOSES.flood);
  }

  async #obey(
    event: Exclude<ClientEvent, { kind: 'refused' }>,
    bytes: Buffer,
  ): Promise<RelayError | 'told already' | undefined> {
    if (event.kind === 'update') return this.#events.update(event.update, event.eventId);
    if (event.kind === 'create')
      return this.#closing?.error ?? this.#turns.begin(event.response, { clientEventId: event.eventId });
    const error = SOUND.has(event.type) ? await this.#transcriptions.ensure() : undefined;
    if (error) return error;
    if (event.type === 'input_audio_buffer.append')
      this.#transcriptions.heard(this.#context.measureSound(event.json));
    if (event.type === 'input_audio_buffer.clear') this.#transcriptions.cleared();
    this.#context.add(event.json);
    await this.#tellUpstream(bytes.toString('utf8'));
    return undefined;
  }

  async #tell(text: string): Promise<void> {
    const shown = await this.#events.show(text);
    this.#usedAt = performance.now();
    if (shown !== undefined) await this.#tellClient(shown);
    if (!this.#isOpen && this.#turns.count + this.#transcriptions.count === 0) this.#settled.resolve();
    if (this.#closing) this.#close(this.#closing);
  }

  /** What is under way is ended, and read up to its usage. */
  async #clientLeft(): Promise<void> {
    const { arrivals, upstream } = this.#parts;
    arrivals.end();
    this.#ready.resolve();
    this.#turns.cancel();
    if (this.#turns.count + this.#transcriptions.count > 0)
      await Promise.race([this.#settled.promise, sleep(LAST_USAGE_MS)]);
    this.#fromUpstream.push(async () => {
      await this.#turns.cut('client_aborted', true);
      await this.#transcriptions.end('client_aborted');
      upstream.socket.close(1000);
      setTimeout(() => upstream.socket.terminate(), OPENING_MS).unref();
      upstream.end();
    }, 0);
  }

  async #upstreamLeft(): Promise<void> {
    const { upstream } = this.#parts;
    if (this.#isOpen && this.#turns.count > 0) upstream.broke();
    const how = this.#isOpen ? 'upstream_cut' : 'client_aborted';
    await this.#turns.cut(how, false);
    await this.#transcriptions.end(how);
    upstream.end();
    this.#settled.resolve();
    this.#close(CLOSES.upstream);
  }
}
