import type { Readable } from 'node:stream';
import type { Ending, Meter } from '@tollgate/metering';
import { atEndOfTurn } from '@tollgate/platform';
import {
  keepAlive,
  relayError,
  type RelayError,
  renderStreamError,
  type ResponseRewriter,
  type StreamFraming,
} from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';
import type { ClientResponse } from './client-exchange.ts';
import type { Departure, ResumableDeparture } from './departures.ts';
import { NOT_FORESEEN } from '../telemetry/request-watch.ts';
import { streamWriter } from './stream-writer.ts';

const BROKEN = relayError('upstream_error', 'The upstream broke off before its answer was complete.');

const TOO_LONG = relayError('upstream_error', 'The upstream sent an event that is larger than is accepted.');
const TOO_MUCH = relayError(
  'upstream_error',
  'The answer of the upstream has grown larger than one that is converted may be.',
);

/** What comes of an answer in one turn of the event loop is passed on at its end, or when there is so much of it. */
const ARRIVED_MAX_BYTES = 65_536;

/** An upstream that breaks off while its client has taken nothing for so long was kept waiting by it, as far as anybody can tell. */
const STALLED_MS = 10_000;

/** The end of an answer is held back for so long at most while its upstream says nothing more, not even goodbye. */
const HELD_MAX_MS = 100;

export interface StreamEnd {
  /** What a client left may have been read to its end without it. */
  readonly end: Ending;
  /**
   * How far the upstream was read: to its end, until it broke off, until it was given up, as its client was gone or had long
   * taken nothing, or until passing it on failed here.
   */
  readonly read: 'whole' | 'cut' | 'given_up' | 'failed';
}

/**
 * Passes a stream on as it comes. Each chunk is metered and sent before the next is read, so a client that reads slowly slows
 * the upstream down.
 *
 * - The client leaves: the rest is metered but not written, until `departure.ended`.
 * - The client takes nothing for long, and the upstream breaks off: that is the client's doing, as if it had left.
 * - The upstream is silent for `keepAliveMs` between two events: a keep-alive is sent.
 * - The final event has passed: the last bytes are held back until `beforeEnd` resolves. When it rejects, so does this
 *   function, and the client's stream is left without an end.
 * - The upstream breaks off, and the client can come back for the rest: its connection breaks too, without an event that says that
 *   the answer failed.
 * - It breaks off in an answer that is no stream of events: the client's connection breaks too.
 * - An event is longer than `eventLimitBytes`: handled as if the upstream had broken off; what passed before is billed.
 * - More than `keptLimitBytes` of the answer are kept to its end: likewise.
 * - The rewriter or the meter throws: so is this, and `onFailed` is told what was thrown.
 */
export function sendStream(
  response: ClientResponse,
  upstream: Readable,
  options: {
    readonly protocol: ClientProtocol;
    readonly framing: StreamFraming;
    readonly rewriter: ResponseRewriter;
    readonly meter: Meter;
    readonly keepAliveMs: number;
    readonly eventLimitBytes: number;
    readonly keptLimitBytes: number;
    readonly departure: Pick<Departure, 'gone' | 'ended'> | ResumableDeparture;
    readonly onFirstByte: () => void;
    readonly onFailed: (thrown: unknown) => void;
    readonly beforeEnd: (end: StreamEnd) => Promise<unknown>;
  },
): Promise<StreamEnd> {
  const { protocol, framing, rewriter, meter, departure } = options;
  const { gone, ended } = departure;
  const isResumable = 'isResumable' in departure;
  const idle = keepAlive(protocol, framing);
  const writer = gone.aborted ? undefined : streamWriter(response);
  let arrived: Buffer[] = [];
  let arrivedBytes = 0;
  let lastSent: Buffer | undefined;
  let held: Buffer | undefined;
  let first = true;
  let finished = false;
  /** Since when the client has taken nothing, by `performance.now()`. */
  let stalledAt: number | undefined;
  /** Nobody is told of a client that leaves an answer which is kept for its repeat. */
  const isThere = () => !gone.aborted && !response.destroyed;

  return new Promise((resolve, reject) => {
    // Setting a timer again for each chunk would cost more than looking whether one came since.
    let heardAt = performance.now();
    const look = () => {
      let waitMs = options.keepAliveMs - (performance.now() - heardAt);
      if (waitMs <= 0) {
        // Only between events: a keep-alive inside one would break it.
        if (idle.length > 0 && (lastSent === undefined || endsEvent(lastSent))) writer?.write(idle);
        heardAt = performance.now();
        waitMs = options.keepAliveMs;
      }
      silence = setTimeout(look, waitMs);
    };
    let silence = setTimeout(look, options.keepAliveMs);

    const send = (bytes: Buffer | undefined) => {
      if (!bytes || bytes.length === 0) return;
      lastSent = bytes;
      if (!isThere() || writer?.write(bytes)) return;
      upstream.pause();
      stalledAt ??= performance.now();
    };
    const release = () => {
      clearTimeout(holding);
      send(held);
      held = undefined;
    };
    const hold = (bytes: Buffer | undefined) => {
      release();
      held = bytes;
      holding = setTimeout(release, HELD_MAX_MS);
    };
    let holding: NodeJS.Timeout | undefined;

    const finish = (read: StreamEnd['read'], ...last: (Buffer | undefined)[]) => {
      if (finished) return;
      finished = true;
      const end: StreamEnd = { read, end: isThere() ? ENDS[read] : 'client_aborted' };
      clearTimeout(silence);
      clearTimeout(holding);
      upstream.off('data', arrive).off('end', onEnd).off('error', onError);
      upstream.on('error', () => {});
      // Only what is ours: others listen to the same response.
      response.off('drain', resume);
      response.off('close', readOn);
      gone.removeEventListener('abort', readOn);
      ended.removeEventListener('abort', giveUp);
      if (read !== 'whole') upstream.destroy();
      options
        .beforeEnd(end)
        .then(() => {
          release();
          // Bytes that are cut can say nothing more: that the connection breaks tells it.
          if (read !== 'whole' && (isResumable || framing === 'none')) response.destroy();
          else {
            last.forEach(send);
            if (isThere()) writer?.end();
          }
          resolve(end);
        })
        .catch(reject);
    };

    const breakOf = (error: RelayError) => {
      const event = renderStreamError(
        protocol,
        framing,
        error,
        meter.last(),
        (held ?? lastSent) !== undefined,
      );
      return rewriter.own?.(event) ?? event;
    };
    const tellOf = (error: RelayError) => (rewriter.fail ? rewriter.fail(error) : breakOf(error));
    const isStalled = () => stalledAt !== undefined && performance.now() - stalledAt >= STALLED_MS;
    const breakOff = (error: RelayError) => finish(isStalled() ? 'given_up' : 'cut', tellOf(error));
    /** Runs a step that nothing may be thrown out of: in a handler of events that would end the process. */
    const orFail = (step: () => void) => {
      try {
        step();
      } catch (thrown) {
        if (finished) return reject(thrown);
        options.onFailed(thrown);
        finish('failed', tellFailure());
      }
    };
    const tellFailure = () => {
      try {
        return tellOf(NOT_FORESEEN);
      } catch {
        // Without whatever of it throws.
        const begun = (held ?? lastSent) !== undefined;
        return renderStreamError(protocol, framing, NOT_FORESEEN, undefined, begun);
      }
    };

    const resume = () => {
      stalledAt = undefined;
      upstream.resume();
    };
    /** Its client may have been slow to the last. */
    const readOn = () => {
      clearTimeout(silence);
      resume();
    };
    const giveUp = () => {
      passArrived();
      finish('given_up');
    };
    const arrive = (chunk: Buffer) => {
      if (first) {
        first = false;
        options.onFirstByte();
      }
      heardAt = performance.now();
      arrivedBytes += chunk.length;
      if (arrived.push(chunk) === 1) atEndOfTurn(passArrived);
      if (arrivedBytes > ARRIVED_MAX_BYTES) passArrived();
    };
    const pass = (chunk: Buffer) => {
      meter.feed(chunk);
      const bytes = rewriter.push(chunk);
      if (meter.complete()) hold(bytes);
      else send(bytes);
      if (rewriter.held() > options.eventLimitBytes) breakOff(TOO_LONG);
      else if (rewriter.kept && rewriter.kept() > options.keptLimitBytes) breakOff(TOO_MUCH);
    };
    const passArrived = () => {
      const chunks = arrived;
      arrived = [];
      arrivedBytes = 0;
      orFail(() => {
        for (const chunk of chunks) if (!finished) pass(chunk);
      });
    };
    const close = () => {
      if (finished) return;
      meter.end();
      const rest = rewriter.end();
      // What goes on elsewhere ends where its upstream ends it: that it was cancelled is told by no event.
      const broken = !isResumable && (rewriter.failed ? rewriter.failed() : !meter.complete());
      const error = broken && !rewriter.failed && !meter.failed() ? breakOf(BROKEN) : undefined;
      finish(broken ? 'cut' : 'whole', rest, error);
    };
    const onEnd = () => {
      passArrived();
      orFail(close);
    };
    const onError = () => {
      passArrived();
      if (finished) return;
      // A connection that ends badly after the answer has told its end takes nothing from the answer.
      orFail(() => (meter.complete() || meter.failed() ? close() : breakOff(BROKEN)));
    };
    response.on('drain', resume);
    response.once('close', readOn);
    gone.addEventListener('abort', readOn, { once: true });
    ended.addEventListener('abort', giveUp, { once: true });
    upstream.on('data', arrive).once('end', onEnd).once('error', onError);
    if (ended.aborted) giveUp();
  });
}

/** Of an answer whose client is there; one that nobody wants any longer has no client. */
export const ENDS = {
  whole: 'complete',
  cut: 'upstream_cut',
  failed: 'upstream_cut',
  given_up: 'client_aborted',
} as const satisfies Record<StreamEnd['read'], Ending>;

/** Whether what was sent last ends at an event boundary, with LF or CRLF lines. */
function endsEvent(bytes: Buffer): boolean {
  const tail = bytes.subarray(-4).toString('latin1');
  return tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n') || tail === '\n';
}
