import type { Transform } from 'node:stream';
import { relayError, type RelayError } from '@tollgate/protocols';
import { parseContentCoding, CODINGS, createDecoder, isBomb } from '../body/content-coding.ts';
import { SMALL_BODY_BYTES } from '../body/body-memory.ts';
import type { ClientRequest } from '../relay/client-exchange.ts';
import { watchRate } from './slow-bodies.ts';

/**
 * Text is packed to a fifth or a twentieth, a long talk that repeats whole files to a fortieth. What unpacks to more was made
 * to fill memories.
 */
const MAX_RATIO = 50;

type ReadBody =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

export interface BodyLimits {
  /** Of the body as it is read, unpacked. */
  readonly bodyLimitBytes: number;
  /** A body that comes more slowly than this is given up. */
  readonly bodyBytesPerS: number;
}

/** Takes room for so many bytes of a large body more; says why where there is none. */
export type TakeRoom = (bytes: number) => RelayError | undefined;

/**
 * Reads the whole JSON body of a request; it is read only after the caller's key was found good.
 *
 * @param take is asked as soon as the body is known to be large, and for all that comes of it.
 */
export function readBody(
  request: ClientRequest,
  limits: BodyLimits,
  take: TakeRoom,
): ReadBody | Promise<ReadBody> {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return refuse(
      'invalid_request',
      `The Content-Type is "${type.slice(0, 100)}"; send application/json.`,
      'content-type',
    );
  }
  const coding = parseContentCoding(headers['content-encoding']);
  if (coding === null) {
    const named = headers['content-encoding']?.slice(0, 40);
    return refuse(
      'invalid_request',
      `The Content-Encoding "${named}" is not supported; send ${CODINGS}, or the body as it is.`,
      'content-encoding',
    );
  }
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > limits.bodyLimitBytes) return tooLarge(limits);
  const error = declared > SMALL_BODY_BYTES ? take(0) : undefined;
  if (error) return { ok: false, error };
  return coding === undefined && request.complete
    ? readWhole(request, limits, take)
    : gather(request, coding, limits, take);
}

/** A small body is mostly all here by the time its key is known: nothing need be waited for, nor listened to. */
function readWhole(request: ClientRequest, limits: BodyLimits, take: TakeRoom): ReadBody {
  if (request.destroyed && !request.readableEnded) return { ok: 'gone' };
  const chunks: Buffer[] = [];
  // Node gives one of its buffers at a time.
  for (let chunk = nextChunk(request); chunk; chunk = nextChunk(request)) chunks.push(chunk);
  request.resume();
  const body = joinPieces(chunks);
  if (body.length > limits.bodyLimitBytes) return tooLarge(limits);
  const error = body.length > SMALL_BODY_BYTES ? take(body.length) : undefined;
  return error ? { ok: false, error } : { ok: true, body };
}

const nextChunk = (request: ClientRequest) => request.read() as Buffer | null;

const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);

/**
 * Of what came over a connection. The pieces are let go at once: V8 looks through its whole heap after each 64 MB of buffers, and
 * counts those that nobody has any more until it does. Node gives each its own memory, which nobody else has.
 */
function joinPieces(pieces: readonly Buffer[]): Buffer {
  const body = joinChunks(pieces);
  if (pieces.length === 1) return body;
  for (const { buffer, length } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
  return body;
}

function gather(
  request: ClientRequest,
  coding: string | undefined,
  limits: BodyLimits,
  takeRoom: TakeRoom,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let packed = 0;
    let length = 0;
    let roomTaken = 0;
    let decoder: Transform | undefined;

    const forgetRate = watchRate({
      startedAt: performance.now(),
      leastBytesPerS: limits.bodyBytesPerS,
      bytes: () => packed,
      // It is paused while it is unpacked.
      isHeld: () => request.complete || request.isPaused(),
      tooSlow: () => finish(TOO_SLOW),
    });

    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.bodyLimitBytes) finish(tooLarge(limits));
      else if (decoder && isBomb(packed, length, MAX_RATIO)) finish(BOMB);
      else if (length <= SMALL_BODY_BYTES) chunks.push(chunk);
      else {
        const error = takeRoom(length - roomTaken);
        roomTaken = length;
        if (error) finish({ ok: false, error });
        else chunks.push(chunk);
      }
    };
    const whole = () => {
      finish({ ok: true, body: decoder ? joinChunks(chunks) : joinPieces(chunks) });
    };
    const arrive = (chunk: Buffer) => {
      packed += chunk.length;
      if (coding === undefined) return take(chunk);
      if (!decoder) {
        decoder = createDecoder(coding, chunk[0] ?? 0);
        decoder?.on('data', take).on('end', whole).on('error', unreadable);
      }
      if (decoder?.write(chunk) === false) {
        request.pause();
        decoder.once('drain', () => request.resume());
      }
    };
    const unreadable = () => finish(notPacked(coding ?? ''));
    const end = () => {
      if (decoder) decoder.end();
      else whole();
    };
    const gone = () => finish({ ok: 'gone' });
    const close = () => {
      if (!request.complete) gone();
    };

    function finish(result: ReadBody): void {
      forgetRate();
      request.off('data', arrive).off('end', end).off('error', gone).off('close', close);
      // A late error of what is thrown away is nobody's.
      request.on('error', () => {});
      decoder
        ?.removeAllListeners()
        .on('error', () => {})
        .destroy();
      // The rest is thrown away: a connection that is kept goes on with the next request.
      request.resume();
      resolve(result);
    }
    request.on('data', arrive).on('end', end).on('error', gone).on('close', close);
  });
}

const refuse = (
  kind: 'invalid_request' | 'payload_too_large' | 'request_timeout',
  message: string,
  param?: string,
): ReadBody => ({
  ok: false,
  error: relayError(kind, message, param === undefined ? {} : { param }),
});

const tooLarge = ({ bodyLimitBytes }: BodyLimits): ReadBody =>
  refuse(
    'payload_too_large',
    `The request body is larger than the ${bodyLimitBytes} bytes that are accepted.`,
  );

const notPacked = (coding: string): ReadBody =>
  refuse(
    'invalid_request',
    `The body is not ${coding}, which its Content-Encoding says.`,
    'content-encoding',
  );

const BOMB = refuse(
  'payload_too_large',
  'The request body unpacks to far more than was sent; send it without a Content-Encoding.',
);
const TOO_SLOW = refuse('request_timeout', 'The request body comes too slowly.');
