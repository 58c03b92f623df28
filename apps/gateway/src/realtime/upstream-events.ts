import { isObject, type JsonObject, parseJson } from '@tollgate/protocols';
import type { Logger } from '@tollgate/platform';
import { textWithoutSecrets } from '../forward/secrets.ts';
import type { Candidate } from '../route/candidates.ts';
import type { SessionUpdate } from './client-events.ts';
import type { ContextBound } from './context-bound.ts';
import { renderRealtimeError } from './error-event.ts';
import { readOutputLimit, readResponds, showSession, toOwnUpdate } from './shown-session.ts';
import type { Transcriptions } from './transcriptions.ts';
import { newEventId, type Turns } from './turns.ts';

interface PendingUpdate extends Pick<SessionUpdate, 'responds' | 'transcriber'> {
  readonly eventId: string;
  readonly clientEventId?: string | undefined;
  /** It is ours: the client is told of a new session once it holds. */
  readonly opens?: JsonObject;
}

interface EventParts {
  readonly turns: Turns;
  readonly transcriptions: Transcriptions;
  readonly context: ContextBound;
  readonly candidate: Candidate;
  /** As the client names it. */
  readonly model: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly tellUpstream: (message: string) => Promise<void>;
  readonly tellClient: (message: string) => Promise<void>;
  /** The client may ask from here on. */
  readonly ready: () => void;
  readonly failed: () => void;
  readonly hasClient: () => boolean;
  readonly mayBegin: () => boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** What an upstream says in a session, as the client is told it, and what it means for what is held and charged. */
export class UpstreamEvents {
  readonly #parts: EventParts;
  readonly #updates: PendingUpdate[] = [];
  /** What the user says is answered without being asked for. */
  #responds = false;

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  /** Tells the upstream of a change that a client wants. */
  async update(
    { session, responds, transcriber }: SessionUpdate,
    clientEventId: string | undefined,
  ): Promise<undefined> {
    // Somebody may be at work from here on; that nobody is any more the upstream says.
    if (typeof transcriber === 'string') this.#parts.transcriptions.setModel(transcriber);
    this.#parts.context.add({ session });
    await this.#sendUpdate(session, { responds, transcriber, clientEventId });
  }

  #sendUpdate(session: JsonObject, update: Omit<PendingUpdate, 'eventId'>): Promise<void> {
    const eventId = newEventId();
    this.#updates.push({ eventId, ...update });
    return this.#parts.tellUpstream(JSON.stringify({ type: 'session.update', event_id: eventId, session }));
  }

  /**
   * @param said one message, of which nobody sees what it says of the credential.
   * @returns what the client is told; undefined for nothing.
   */
  async show(said: string): Promise<string | undefined> {
    const text = textWithoutSecrets(said, this.#parts.candidate.credential);
    const event = parseJson(text);
    return isObject(event) ? this.#read(event, text) : undefined;
  }

  async #read(event: JsonObject, text: string): Promise<string | undefined> {
    const item = textOf(event['item_id']);
    switch (textOf(event['type'])) {
      case 'session.created':
        return this.#created(event);
      case 'session.updated':
        return this.#updated(event);
      case 'error':
        return this.#refused(event);
      // It tells of the operator's account.
      case 'rate_limits.updated':
        return undefined;
      case 'response.created':
        return this.#begun(textOf(objectOf(event['response'])['id'])) ? text : undefined;
      case 'response.done':
        return (await this.#done(objectOf(event['response']))) ? text : undefined;
      case 'input_audio_buffer.committed':
        this.#parts.transcriptions.committed(item);
        if (this.#responds && this.#parts.mayBegin()) void this.#respond();
        return text;
      case 'conversation.item.input_audio_transcription.completed':
        await this.#parts.transcriptions.completed(item, event['usage']);
        return text;
      case 'conversation.item.input_audio_transcription.failed':
        this.#parts.transcriptions.failed(item);
        return text;
      default: {
        const response = textOf(event['response_id']);
        this.#parts.turns.saw(response, textOf(event['type']), event['delta']);
        return this.#parts.turns.isUnasked(response) ? undefined : text;
      }
    }
  }

  async #created(event: JsonObject): Promise<string | undefined> {
    const session = objectOf(event['session']);
    this.#parts.context.setSession(session);
    this.#parts.turns.sessionLimit = readOutputLimit(session);
    this.#responds = readResponds(session) ?? false;
    const own = toOwnUpdate(session);
    if (own) {
      await this.#sendUpdate(own, { responds: undefined, transcriber: null, opens: event });
      return undefined;
    }
    this.#parts.ready();
    return this.#withSession(event, session);
  }

  #updated(event: JsonObject): string {
    const session = objectOf(event['session']);
    const update = this.#updates.shift();
    this.#parts.context.setSession(session);
    this.#parts.turns.sessionLimit = readOutputLimit(session);
    this.#responds = readResponds(session) === undefined ? false : (update?.responds ?? this.#responds);
    if (update?.transcriber === null) this.#parts.transcriptions.setModel(null);
    if (!update?.opens) return this.#withSession(event, session);
    this.#parts.ready();
    return this.#withSession(update.opens, session);
  }

  #withSession(event: JsonObject, session: JsonObject): string {
    return JSON.stringify({ ...event, session: showSession(session, this.#parts.model, this.#responds) });
  }

  /** An upstream names the event that it refuses as we named it. */
  #refused(event: JsonObject): string | undefined {
    const error = objectOf(event['error']);
    const eventId = textOf(error['event_id']);
    const index = this.#updates.findIndex((each) => each.eventId === eventId);
    const [update] = index < 0 ? [] : this.#updates.splice(index, 1);
    if (update?.opens) this.#parts.failed();
    const turn = update ? undefined : this.#parts.turns.refused(eventId);
    // The user has said something while another answer goes on.
    if (turn?.isAutomatic && error['code'] === 'conversation_already_has_active_response') return undefined;
    const own = update ?? turn;
    const shown = own ? { ...event, error: { ...error, event_id: own.clientEventId ?? null } } : event;
    return JSON.stringify(shown);
  }

  #begun(id: string): boolean {
    const isAsked = this.#parts.turns.created(id);
    if (!isAsked)
      this.#parts.logger.warn(
        { event: 'realtime_unasked_response', upstream: this.#parts.candidate.client.upstream.name },
        'an upstream began a response that nobody asked for; it is cancelled, and nobody is charged for it',
      );
    else if (!this.#parts.hasClient()) this.#parts.turns.cancel();
    return isAsked;
  }

  async #done(response: JsonObject): Promise<boolean> {
    const isAsked = !this.#parts.turns.isUnasked(textOf(response['id']));
    await this.#parts.turns.done(response, this.#parts.hasClient() ? 'complete' : 'client_aborted');
    return isAsked;
  }

  /** Answers what the user has said, as the upstream would by itself. */
  async #respond(): Promise<void> {
    const error = await this.#parts.turns.begin({}, { isAutomatic: true });
    if (error) await this.#parts.tellClient(renderRealtimeError(error));
  }
}
