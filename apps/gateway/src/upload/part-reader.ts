import { createHash } from 'node:crypto';
import type { BusboyFileStream } from '@fastify/busboy';
import { relayError, type RelayError } from '@tollgate/protocols';
import { SMALL_BODY_BYTES } from '../body/body-memory.ts';
import type { BodyLimits, TakeRoom } from '../body/read-body.ts';
import type { SpooledBytes } from './spooled-bytes.ts';
import { PLAIN_TEXT, type UploadPart } from './upload.ts';

/** Of a file, kept in memory to tell what it is. */
const FILE_BEGINNING_BYTES = 128;

/** A part that is not taken. */
export class RefusedPart extends Error {
  constructor(readonly error: RelayError) {
    super(error.message);
  }
}

/** What a part says of itself; what the parser does not find is undefined, whatever its types say. */
interface PartHead {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  readonly coding: string;
  readonly type: string;
}

/** Reads parts one after the other into the bytes of their form. */
export function createPartReader(
  content: Pick<SpooledBytes, 'length' | 'append'>,
  limits: Pick<BodyLimits, 'bodyLimitBytes'>,
  take: TakeRoom,
) {
  const parts: UploadPart[] = [];
  let textBytes = 0;
  let textTaken = SMALL_BODY_BYTES;

  function countText(bytes: number): void {
    textBytes += bytes;
    if (textBytes > limits.bodyLimitBytes) throw new RefusedPart(tooMuchText(limits));
    const error = textBytes > textTaken ? take(textBytes - textTaken) : undefined;
    textTaken = Math.max(textTaken, textBytes);
    if (error) throw new RefusedPart(error);
  }

  async function read(stream: BusboyFileStream, head: PartHead): Promise<void> {
    const { name, filename } = head;
    if (name === undefined || !READ_AS_IT_IS.has(head.coding)) throw new RefusedPart(UNREADABLE_PART);
    const hash = createHash('sha256');
    const start = content.length;
    const kept: Buffer[] = [];
    let keptBytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (filename === undefined) countText(chunk.length);
      if (filename === undefined || keptBytes < FILE_BEGINNING_BYTES) {
        kept.push(chunk);
        keptBytes += chunk.length;
      }
      await content.append(chunk);
    }
    const all = Buffer.concat(kept, keptBytes);
    parts.push({
      name,
      filename,
      contentType: contentTypeOf(head),
      start,
      end: content.length,
      sha256: hash.digest('hex'),
      // A copy: what it was cut from is let go.
      beginning: filename === undefined ? all : Buffer.from(all.subarray(0, FILE_BEGINNING_BYTES)),
    });
  }
  return { parts, read };
}

/** The parser unpacks nothing. */
const READ_AS_IT_IS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** The parser calls text what says nothing of itself, which no file is. */
function contentTypeOf({ filename, type }: PartHead): string {
  if (!TYPE.test(type)) return filename === undefined ? PLAIN_TEXT : 'application/octet-stream';
  return filename !== undefined && type === PLAIN_TEXT ? 'application/octet-stream' : type;
}

const tooMuchText = ({ bodyLimitBytes }: Pick<BodyLimits, 'bodyLimitBytes'>): RelayError =>
  relayError(
    'payload_too_large',
    `The fields of the form that are no files have more than the ${bodyLimitBytes} bytes that are accepted.`,
  );

const UNREADABLE_PART = relayError(
  'invalid_request',
  'A part of the form has no name, or a Content-Transfer-Encoding.',
);
