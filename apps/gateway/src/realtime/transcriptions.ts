import type { Ending, Metered } from '@tollgate/metering';
import { readTranscriptionUsage, relayError, type RelayError } from '@tollgate/protocols';
import type { SessionHold, TakenHold } from './hold.ts';

/** Of one thing that a user says, at most: what is longer is charged as this. */
const MAX_SECONDS = 300;
const TOKENS_PER_SECOND = 10;
/** Of what a client tells the model beforehand. */
const MAX_PROMPT_TOKENS = 1_024;
const MAX_WRITTEN_TOKENS = 4_096;
/** Of quick speech. */
const WRITTEN_TOKENS_PER_SECOND = 4;
const MAX_OPEN = 32;
const QUIET_MS = 1_000;

type Take = (of: {
  readonly model: string;
  readonly input: number;
  readonly likely: number;
  readonly output: number;
  readonly units: { readonly audio_milliseconds: number };
}) => Promise<TakenHold>;

/** What a user says at one time. */
interface Utterance {
  readonly hold: SessionHold;
  readonly soundMs: number;
}

/**
 * What users say, written down by another model. An upstream begins that by itself as soon as somebody has ended to speak: so
 * what it may cost is held before any sound is passed on.
 */
export class Transcriptions {
  readonly #take: Take;
  /** For what is being said. */
  #next: SessionHold | undefined;
  /** Of what is being said: its upstream has it, whichever model is to write it down. */
  #soundMs = 0;
  /** By the item of the conversation. */
  readonly #open = new Map<string, Utterance>();
  #model: string | null = null;
  #refusedUntil = 0;
  #isOver = false;

  constructor(take: Take) {
    this.#take = take;
  }

  /** From here on this model may be at work; null for none. */
  setModel(model: string | null): void {
    if (model === this.#model) return;
    this.#model = model;
    this.#next?.release();
    this.#next = undefined;
  }

  /** So much sound is passed on, of what is being said. */
  heard(ms: number): void {
    this.#soundMs += ms;
  }

  /** What was passed on since the last that was said is dropped. */
  cleared(): void {
    this.#soundMs = 0;
  }

  /** Holds what is needed before sound may pass. @returns why it may not. */
  async ensure(): Promise<RelayError | 'told already' | undefined> {
    if (this.#model === null || this.#next) return undefined;
    if (this.#open.size >= MAX_OPEN) return TOO_MANY;
    // Sound comes fifty times a second: it is dropped for a while, and its client told once.
    if (performance.now() < this.#refusedUntil) return 'told already';
    const taken = await this.#take({
      model: this.#model,
      input: MAX_SECONDS * TOKENS_PER_SECOND + MAX_PROMPT_TOKENS,
      likely: TOKENS_PER_SECOND,
      output: MAX_WRITTEN_TOKENS,
      units: { audio_milliseconds: MAX_SECONDS * 1_000 },
    });
    if (!taken.ok) {
      this.#refusedUntil = performance.now() + QUIET_MS;
      return taken.error;
    }
    if (this.#isOver) taken.hold.release();
    else this.#next = taken.hold;
    return undefined;
  }

  committed(item: string): void {
    const soundMs = this.#soundMs;
    this.#soundMs = 0;
    if (!this.#next) return;
    this.#open.set(item, { hold: this.#next, soundMs });
    this.#next = undefined;
  }

  /** Charges one that is written down. Resolves once that is durable. */
  async completed(item: string, usage: unknown): Promise<void> {
    const utterance = this.#open.get(item);
    this.#open.delete(item);
    if (!utterance) return;
    return utterance.hold.record(meter(utterance, usage), 'complete', performance.now());
  }

  failed(item: string): void {
    this.#open.get(item)?.hold.release();
    this.#open.delete(item);
  }

  /** Those that nobody has told the end of. */
  get count(): number {
    return this.#open.size;
  }

  /** Nobody will say any more what those that are open have used: their upstream has had their sound. */
  async end(how: Ending): Promise<void> {
    this.#isOver = true;
    this.#next?.release();
    this.#next = undefined;
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((utterance) => utterance.hold.record(estimate(utterance), how, undefined)));
  }
}

/**
 * What an upstream reports. Some report tokens of a model that is sold by the time, and a time of one that is sold by tokens: what
 * is sold and not reported is counted here.
 */
function meter(utterance: Utterance, usage: unknown): Metered {
  const read = readTranscriptionUsage(usage);
  if (!read) return estimate(utterance);
  const { tokens, extras } = read;
  if (isSoldByTime(utterance))
    return { tokens, extras: extras ?? estimate(utterance).extras ?? {}, source: 'upstream' };
  if (Object.keys(tokens).length > 0) return { tokens, source: 'upstream' };
  return estimate({ ...utterance, soundMs: extras?.units?.audio_milliseconds ?? utterance.soundMs });
}

const isSoldByTime = ({ hold }: Utterance): boolean =>
  hold.bound.extras?.units?.audio_milliseconds !== undefined;

/** By the time where its model is sold by it, else by the tokens that a vendor makes of so much sound. */
function estimate(utterance: Utterance): Metered {
  const { soundMs } = utterance;
  const seconds = soundMs / 1_000;
  if (isSoldByTime(utterance)) {
    const units = { audio_milliseconds: Math.ceil(soundMs) };
    return { tokens: {}, extras: { units, counted: ['audio_milliseconds'] }, source: 'estimated' };
  }
  const tokens = {
    input_audio: Math.ceil(seconds * TOKENS_PER_SECOND),
    output: Math.ceil(seconds * WRITTEN_TOKENS_PER_SECOND),
  };
  return { tokens, source: 'estimated' };
}

const TOO_MANY = relayError(
  'rate_limited',
  'Too much of what was said is still to be written down. Wait for it.',
  { retryAfterMs: 1_000 },
);
