import { randomBytes } from 'node:crypto';
import { chargeGivenUp, type Ending, type Metered } from '@tollgate/metering';
import {
  isObject,
  type JsonObject,
  readRealtimeUsage,
  relayError,
  type RelayError,
} from '@tollgate/protocols';
import type { ContextBound } from './context-bound.ts';
import type { SessionHold, TakenHold } from './hold.ts';

/** Responses of a session that are under way at once: one of the conversation, and some beside it. */
const MAX_TURNS = 8;
/** Of the sound that a model speaks: 48,000 bytes are a second, and twenty tokens. */
const SPOKEN_BYTES_PER_TOKEN = 2_400;
const WRITTEN_CHARACTERS_PER_TOKEN = 4;

interface Turn {
  readonly hold: SessionHold;
  /** Ours, which the upstream says again where it refuses. */
  readonly eventId: string;
  readonly clientEventId: string | undefined;
  /** It was begun for what the user said, and not by an event of the client. */
  readonly isAutomatic: boolean;
  /** It is told apart from the conversation. */
  readonly isAside: boolean;
  readonly mark: number;
  readonly likely: number;
  written: number;
  /** By `performance.now()`. */
  firstByteAt: number | undefined;
}

/** What a response is asked for with, and may cost. */
interface TurnRequest {
  readonly input: number;
  readonly likely: number;
  /** Tokens of output; null where no limit is stated. */
  readonly output: number | null;
}

type Take = (request: TurnRequest) => Promise<TakenHold>;

/** The responses of one session: what is held for each before it begins, and what each is charged. */
export class Turns {
  readonly #take: Take;
  readonly #context: ContextBound;
  readonly #send: (event: object) => void;
  /** Asked for, in their order; the upstream creates them in the same. */
  readonly #asked: Turn[] = [];
  readonly #created = new Map<string, Turn>();
  readonly #unasked = new Set<string>();
  #beginning = 0;
  #isOver = false;
  /** As the upstream says the session has it. */
  sessionLimit: number | null = null;

  constructor(parts: {
    readonly take: Take;
    readonly context: ContextBound;
    readonly send: (event: object) => void;
  }) {
    this.#take = parts.take;
    this.#context = parts.context;
    this.#send = parts.send;
  }

  /** Those that are asked for, or under way. */
  get count(): number {
    return this.#beginning + this.#asked.length + this.#created.size;
  }

  /** Asks for a response once what it may cost is held. @returns why it is not asked for. */
  async begin(
    response: JsonObject,
    of: { readonly clientEventId?: string | undefined; readonly isAutomatic?: boolean },
  ): Promise<RelayError | undefined> {
    if (this.count >= MAX_TURNS) return TOO_MANY;
    const { max_output_tokens: explicit } = response;
    const limit = typeof explicit === 'number' ? explicit : explicit === 'inf' ? null : this.sessionLimit;
    const { max, likely } = this.#context.read(response);
    this.#beginning += 1;
    const taken = await this.#take({ input: max, likely, output: limit }).finally(
      () => (this.#beginning -= 1),
    );
    if (!taken.ok) return taken.error;
    const { hold } = taken;
    if (this.#isOver) {
      hold.release();
      return undefined;
    }
    const eventId = newEventId();
    this.#asked.push({
      hold,
      eventId,
      clientEventId: of.clientEventId,
      isAutomatic: of.isAutomatic === true,
      isAside: response['conversation'] === 'none',
      mark: this.#context.mark(),
      likely,
      written: 0,
      firstByteAt: undefined,
    });
    const isLimited = limit !== null || hold.modelOutput !== null;
    const limited = isLimited ? { max_output_tokens: hold.bound.output } : {};
    this.#send({ type: 'response.create', event_id: eventId, response: { ...response, ...limited } });
    return undefined;
  }

  /** The upstream refuses a response. Undefined where the event is none of those that asked for one. */
  refused(eventId: string): Pick<Turn, 'clientEventId' | 'isAutomatic'> | undefined {
    const index = this.#asked.findIndex((turn) => turn.eventId === eventId);
    const [turn] = index < 0 ? [] : this.#asked.splice(index, 1);
    turn?.hold.release();
    return turn;
  }

  /** @returns whether somebody asked for it. One that nobody did is ended at once: nothing is held for it. */
  created(id: string): boolean {
    const turn = this.#asked.shift();
    if (turn) {
      this.#created.set(id, turn);
      return true;
    }
    if (this.#unasked.size < MAX_TURNS) this.#unasked.add(id);
    this.#send({ type: 'response.cancel', response_id: id });
    return false;
  }

  isUnasked(id: string): boolean {
    return this.#unasked.has(id);
  }

  /** Takes notice of what a response has brought, for the case that its usage never comes. */
  saw(id: string, type: string, delta: unknown): void {
    const turn = this.#created.get(id);
    if (!turn) return;
    turn.firstByteAt ??= performance.now();
    if (typeof delta !== 'string' || type === 'response.output_audio_transcript.delta') return;
    turn.written +=
      type === 'response.output_audio.delta'
        ? (delta.length * 3) / 4 / SPOKEN_BYTES_PER_TOKEN
        : delta.length / WRITTEN_CHARACTERS_PER_TOKEN;
  }

  /** Charges a response that has ended. Resolves once that is durable. */
  async done(response: JsonObject, end: Ending): Promise<void> {
    const id = String(response['id']);
    this.#unasked.delete(id);
    const turn = this.#created.get(id);
    if (!turn) return;
    this.#created.delete(id);
    const { status, usage } = response;
    const reported = isObject(usage) ? readRealtimeUsage(usage) : {};
    const sum = Object.values(reported).reduce((total, count) => total + count, 0);
    if (!turn.isAside && (status === 'completed' || status === 'incomplete'))
      this.#context.reported(turn.mark, sum);
    if (sum > 0) return turn.hold.record({ tokens: reported, source: 'upstream' }, end, turn.firstByteAt);
    // What brought nothing and reports nothing is free; what was passed on before it failed is not.
    if (turn.written === 0) return turn.hold.release();
    return turn.hold.record(estimate(turn), end, turn.firstByteAt);
  }

  /** Ends those that are under way, whose usage comes with their end; none begins any more. */
  cancel(): void {
    this.#isOver = true;
    for (const id of this.#created.keys()) this.#send({ type: 'response.cancel', response_id: id });
  }

  /** Nobody will say what those under way have used. Where they were given up, all that was held is charged. */
  async cut(end: Ending, isGivenUp: boolean): Promise<void> {
    this.#isOver = true;
    for (const { hold } of this.#asked.splice(0)) hold.release();
    const cut = [...this.#created.values()];
    this.#created.clear();
    await Promise.all(
      cut.map((turn) => {
        const { hold, firstByteAt } = turn;
        const metered = estimate(turn);
        return hold.record(
          isGivenUp ? chargeGivenUp(metered, hold.bound, hold.bound) : metered,
          end,
          firstByteAt,
        );
      }),
    );
  }
}

const estimate = ({ likely, written }: Turn): Metered => ({
  tokens: { input: likely, output: Math.ceil(written) },
  source: 'estimated',
});

/** That nobody else can have given an event. */
export const newEventId = (): string => `evt_${randomBytes(16).toString('hex')}`;

const TOO_MANY = relayError(
  'rate_limited',
  'Eight responses of this session are under way, which is as many as may be. Wait for one to end.',
  { retryAfterMs: 1_000 },
);
