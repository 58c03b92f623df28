import { Busboy } from '@fastify/busboy';
import { relayError, type RelayError } from '@tollgate/protocols';
import type { Task } from '@tollgate/vocabulary';
import { type BodyLease, SMALL_BODY_BYTES } from '../body/body-memory.ts';
import type { TakeRoom } from '../body/read-body.ts';
import { watchRate } from '../body/slow-bodies.ts';
import type { ClientRequest } from '../relay/client-exchange.ts';
import { takesLonger } from './long-requests.ts';
import { createPartReader, RefusedPart } from './part-reader.ts';
import { createSpooledBytes } from './spooled-bytes.ts';
import { createUpload, type Upload, type UploadPart } from './upload.ts';

export interface UploadLimits {
  /** Of all of a form. */
  readonly uploadLimitBytes: number;
  /** Of all of its fields that are no files. */
  readonly bodyLimitBytes: number;
  /** Of one whose operation has a limit of its own. */
  readonly uploadLimits: Readonly<Partial<Record<Task, number>>>;
  /** A form that comes more slowly than this is given up, over all of its time and over each `uploadStallMs`. */
  readonly bodyBytesPerS: number;
  readonly uploadStallMs: number;
  /** All of a form must be here by then. */
  readonly uploadTimeoutMs: number;
}

/** What the forms of one process share. */
interface UploadRoom {
  readonly directory: string;
  /** Disk for this form: its length is taken before it is read, where it states one. */
  readonly disk: BodyLease;
  /** Memory for the fields of this form that are no files. */
  readonly take: TakeRoom;
}

type ReadUpload =
  | { readonly ok: true; readonly upload: Upload }
  | { readonly ok: false; readonly error: RelayError }
  | { readonly ok: 'gone' };

const MAX_PARTS = 128;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADERS = 16;

export const isMultipart = (contentType: string | undefined): boolean =>
  /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');

/**
 * Reads a form (`multipart/form-data`, RFC 7578) as it comes. What is small stays in memory, files are written to disk: a form
 * takes the same memory whatever its length. Whoever gets an upload must dispose of it.
 */
export async function readUpload(
  request: ClientRequest,
  limits: UploadLimits,
  room: UploadRoom,
): Promise<ReadUpload> {
  const { headers } = request;
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity')
    return refuse('invalid_request', 'A form must come without a Content-Encoding.', 'content-encoding');
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > limits.uploadLimitBytes) return tooLarge(limits);
  const full = declared > SMALL_BODY_BYTES ? room.disk.take(declared) : undefined;
  if (full) return { ok: false, error: full };
  const parser = openParser(headers['content-type'] ?? '');
  return parser ? gather(request, parser, limits, { ...room, declared }) : NO_BOUNDARY;
}

function openParser(contentType: string): Busboy | undefined {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { parts: MAX_PARTS, headerPairs: MAX_HEADERS, headerSize: MAX_HEADER_BYTES },
      // Fields are read as bytes too: they leave as they came.
      isPartAFile: () => true,
      preservePath: true,
    });
  } catch {
    return undefined;
  }
}

type Busboy = InstanceType<typeof Busboy>;

function gather(
  request: ClientRequest,
  parser: Busboy,
  limits: UploadLimits,
  room: UploadRoom & { readonly declared: number },
): Promise<ReadUpload> {
  return new Promise((resolve) => {
    const content = createSpooledBytes({ memoryBytes: SMALL_BODY_BYTES, directory: room.directory });
    const count = countBytes(limits, room);
    let received = 0;
    let isFinished = false;

    const isRead = takesLonger(request);
    const forgetRate = watchRate({
      startedAt: performance.now(),
      leastBytesPerS: limits.bodyBytesPerS,
      atMost: { totalMs: limits.uploadTimeoutMs, stallMs: limits.uploadStallMs },
      bytes: () => received,
      // It is paused while the disk is slow.
      isHeld: () => request.complete || request.isPaused(),
      tooSlow: () => finish(TOO_SLOW),
    });
    const arrive = (chunk: Buffer) => {
      received += chunk.length;
      const refusal = count(received);
      if (refusal) finish(refusal);
      else if (!parser.write(chunk)) request.pause();
    };
    const resume = () => void request.resume();
    const end = () => parser.end();
    const gone = () => finish({ ok: 'gone' });
    const close = () => {
      if (!request.complete) gone();
    };

    function finish(result: ReadUpload): void {
      if (isFinished) return;
      isFinished = true;
      forgetRate();
      isRead();
      request.off('data', arrive).off('end', end).off('error', gone).off('close', close);
      request.on('error', () => {});
      parser.removeAllListeners();
      parser.on('error', () => {});
      if (result.ok !== true) {
        content[Symbol.dispose]();
        parser.destroy();
      }
      // The rest is thrown away: a connection that is kept goes on with the next request.
      request.resume();
      resolve(result);
    }

    readParts(parser, createPartReader(content, limits, room.take), {
      refused: finish,
      whole: (parts) => finish({ ok: true, upload: createUpload(parts, content) }),
    });
    parser.on('drain', resume);
    request.on('data', arrive).on('end', end).on('error', gone).on('close', close);
  });
}

/** Says what is wrong once so many bytes have come; takes disk for those that were not declared. */
function countBytes(
  limits: UploadLimits,
  { disk, declared }: { readonly disk: BodyLease; readonly declared: number },
): (received: number) => ReadUpload | undefined {
  let taken = declared;
  return (received) => {
    if (received > limits.uploadLimitBytes) return tooLarge(limits);
    if (received <= Math.max(taken, SMALL_BODY_BYTES)) return undefined;
    const error = disk.take(received - taken);
    taken = received;
    return error && { ok: false, error };
  };
}

/** Reads the parts of a form one after the other; of what comes after a refusal nothing is read. */
function readParts(
  parser: Busboy,
  reader: ReturnType<typeof createPartReader>,
  on: {
    readonly refused: (refusal: ReadUpload) => void;
    readonly whole: (parts: readonly UploadPart[]) => void;
  },
): void {
  let reading: Promise<void> = Promise.resolve();
  let isRefused = false;
  const refuseAll = (refusal: ReadUpload) => {
    isRefused = true;
    on.refused(refusal);
  };
  const fail = (error: unknown) =>
    refuseAll(error instanceof RefusedPart ? { ok: false, error: error.error } : NOT_STORED);
  parser.on('file', (name, stream, filename, coding, type) => {
    stream.on('error', () => refuseAll(CUT));
    reading = reading.then(() =>
      isRefused ? undefined : reader.read(stream, { name, filename, coding, type }),
    );
    reading.catch(fail);
  });
  parser.on('partsLimit', () => refuseAll(TOO_MANY_PARTS));
  parser.on('error', () => refuseAll(CUT));
  parser.on('finish', () => void reading.then(() => on.whole(reader.parts), fail));
}

const refuse = (
  kind: 'invalid_request' | 'payload_too_large' | 'request_timeout' | 'unavailable',
  message: string,
  param?: string,
): Extract<ReadUpload, { ok: false }> => ({
  ok: false,
  error: relayError(kind, message, param === undefined ? {} : { param }),
});

const tooLarge = ({ uploadLimitBytes }: UploadLimits): ReadUpload =>
  refuse('payload_too_large', `The form is larger than the ${uploadLimitBytes} bytes that are accepted.`);

const NO_BOUNDARY = refuse(
  'invalid_request',
  'The Content-Type of the form names no boundary.',
  'content-type',
);
const CUT = refuse(
  'invalid_request',
  'The body is no form with the boundary that its Content-Type names, or ends too early.',
);
const TOO_MANY_PARTS = refuse(
  'payload_too_large',
  `The form has more than the ${MAX_PARTS} parts that are accepted.`,
);
const TOO_SLOW = refuse('request_timeout', 'The request body comes too slowly.');
const NOT_STORED = refuse('unavailable', 'The form cannot be stored at the moment. Try again shortly.');
