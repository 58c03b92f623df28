import { Abortable, type AbortNotice } from '../forward/abort-notice.ts';
import type { ClientResponse } from './client-exchange.ts';

export interface DepartureLimits {
  /** How long an upstream is read on after its client has gone, in milliseconds. */
  readonly readOnMs: number;
  /** Upstreams that are read on at once for one key, and for all keys of this process. */
  readonly perKey: number;
  readonly perProcess: number;
}

/**
 * Why an upstream is not read any longer: its time is over, or there are too many of them (`limit`); or this process stops
 * (`stop`), which is not the client's doing.
 */
type EndedBy = 'limit' | 'stop';

/** What becomes of one request when its client goes away before its answer has ended. */
export interface Departure extends Disposable {
  /** Aborts when the client is gone: nobody else is asked, and nothing is written. */
  readonly gone: AbortNotice;
  /** Aborts when the upstream is not read any longer. */
  readonly ended: AbortNotice;
  /** Undefined until `ended` aborts. */
  readonly endedBy: () => EndedBy | undefined;
  /** The request is over. */
  [Symbol.dispose](): void;
}

export interface Departures {
  /**
   * @param of.keepsAnswer the answer is stored for a repeat of the request: it is read to its end even when the client leaves.
   * @param of.mayGoOn a job of the books, of which there are only so many: what its upstream says of it is waited for, however
   * many others are read on.
   * @param of.onGone is called once if the client leaves before `release`.
   */
  watch(of: {
    readonly response: Pick<ClientResponse, 'destroyed' | 'writableFinished' | 'once' | 'off'>;
    readonly keyId: string;
    readonly keepsAnswer: boolean;
    readonly mayGoOn: boolean;
    readonly onGone: () => void;
  }): Departure;
  /** Upstreams that are read on now. */
  readonly reading: number;
  /** Those that were given up before their usage was known. */
  readonly givenUp: Readonly<Record<EndedBy, number>>;
  /** Ends those that are read on, and from now on all whose clients go. */
  stop(): void;
  /** Resolves when none is read on. */
  idle(): Promise<void>;
}

class Watch implements Departure {
  readonly gone: AbortNotice;
  readonly ended: AbortNotice;
  readonly endedBy: Departure['endedBy'];
  readonly #stop: () => void;

  constructor(gone: AbortNotice, ended: AbortNotice, endedBy: Departure['endedBy'], stop: () => void) {
    this.gone = gone;
    this.ended = ended;
    this.endedBy = endedBy;
    this.#stop = stop;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}

/** How an answer that goes on without its client is left. */
export interface ResumableDeparture extends Pick<Departure, 'gone' | 'ended'> {
  /** The client can come back for the rest: a stream that breaks is no answer that ended. */
  readonly isResumable: true;
}

/** Of an answer that goes on at its upstream, and that its client can come back for: nobody is read on for it. */
export function watchResumable(response: ClientResponse): ResumableDeparture {
  const left = new Abortable();
  if (response.destroyed) left.abort();
  else
    response.once('close', () => {
      if (!response.writableFinished) left.abort();
    });
  return { gone: left, ended: left, isResumable: true };
}

/**
 * Follows clients that hang up. Their upstream goes on and bills us, so the answer is read on until the upstream reports its
 * usage, and the client pays for it. The number of such answers and their time are limited: a client that left holds no
 * connection and could otherwise start as many as it likes.
 */
export function createDepartures({ readOnMs, perKey, perProcess }: DepartureLimits): Departures {
  const byKey = new Map<string, number>();
  const reading = new Map<Promise<void>, (by: EndedBy) => void>();
  const givenUp: Record<EndedBy, number> = { limit: 0, stop: 0 };
  let stopping = false;

  function enter(keyId: string, end: (by: EndedBy) => void): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    reading.set(promise, end);
    byKey.set(keyId, (byKey.get(keyId) ?? 0) + 1);
    return () => {
      reading.delete(promise);
      const left = (byKey.get(keyId) ?? 1) - 1;
      if (left > 0) byKey.set(keyId, left);
      else byKey.delete(keyId);
      resolve();
    };
  }

  return {
    watch({ response, keyId, mayGoOn, onGone, ...of }) {
      const keepsAnswer = of.keepsAnswer || mayGoOn;
      const gone = new Abortable();
      const ended = new Abortable();
      let endedBy: EndedBy | undefined;
      let leave = (): void => {};
      let timer: NodeJS.Timeout | undefined;
      const end = (by: EndedBy) => {
        if (endedBy) return;
        endedBy = by;
        givenUp[by] += 1;
        ended.abort();
      };
      const left = () => {
        if (response.writableFinished) return;
        const isFull = (byKey.get(keyId) ?? 0) >= perKey || reading.size >= perProcess;
        // What is kept is waited for at a stop as answers are whose clients are there.
        leave = enter(keyId, (by) => void (keepsAnswer || end(by)));
        if (!keepsAnswer) {
          gone.abort();
          onGone();
          timer = setTimeout(end, readOnMs, 'limit').unref();
          if (stopping) end('stop');
        }
        if ((isFull && !mayGoOn) || (!keepsAnswer && readOnMs === 0)) end('limit');
      };
      if (response.destroyed) {
        gone.abort();
        ended.abort();
      } else response.once('close', left);
      const stop = () => {
        response.off('close', left);
        clearTimeout(timer);
        leave();
      };
      return new Watch(gone, ended, () => endedBy, stop);
    },
    get reading() {
      return reading.size;
    },
    givenUp,
    stop() {
      stopping = true;
      for (const end of reading.values()) end('stop');
    },
    async idle() {
      while (reading.size > 0) await Promise.all(reading.keys());
    },
  };
}
