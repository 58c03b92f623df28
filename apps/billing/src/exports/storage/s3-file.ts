import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { hashSegments } from './hash-segments.ts';
import type { S3Bucket } from './s3-bucket.ts';
import {
  DamagedDraft,
  type ExportFile,
  type KeptBytes,
  type Segment,
  UNFINISHED,
  type Upload,
} from './storage.ts';

/** Of each upload part but the last: R2 takes no others than equal ones, and no store less than 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;

/** What another writer has left, with the bytes behind its upload parts. */
interface Begun {
  readonly upload: Upload;
  readonly segments: readonly Segment[];
  readonly tail: Uint8Array;
}

/**
 * An object of a bucket, written by a multipart upload that writers take over from each other. What is not a whole upload part yet is
 * kept in an object beside it.
 *
 * Two may write it at once, when one wakes up whose lease was lost. They cannot complete a mixed file: whoever completes it names the
 * ETag of each upload part, its own or those of the draft that it took up, and the store refuses when any was written over by other
 * bytes (InvalidPart). After one has completed it, or begun the file again and so aborted what there was, the other's upload is gone
 * (NoSuchUpload). Either is a {@link DamagedDraft}, on which whoever holds the lease begins the file again; both write the same
 * bytes, so that whichever completes it is right.
 */
export class S3File implements ExportFile {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #writer: string;
  readonly #before: readonly Segment[];
  /** Of what this writer has written. */
  readonly #hash = createHash('sha256');
  readonly #etags: string[];
  readonly #part = Buffer.allocUnsafe(PART_BYTES);
  /** How much of it is filled. */
  #filled = 0;
  #uploadId: string | null;
  /** What drafts name, the last one of which is in the books. */
  readonly #tails: string[];
  bytes: number;

  constructor(bucket: S3Bucket, key: string, writer: string, begun?: Begun) {
    this.#bucket = bucket;
    this.#key = key;
    this.#writer = writer;
    this.#before = begun?.segments ?? [];
    this.#etags = [...(begun?.upload.etags ?? [])];
    this.#uploadId = begun?.upload.id ?? null;
    this.#tails = begun ? [begun.upload.tail.name] : [];
    if (begun) {
      this.#part.set(begun.tail);
      this.#filled = begun.tail.byteLength;
    }
    this.bytes = this.#etags.length * PART_BYTES + this.#filled;
  }

  /** What another writer has left of it. */
  static async resume(
    bucket: S3Bucket,
    key: string,
    left: KeptBytes,
    writer: string,
  ): Promise<S3File | undefined> {
    const { upload } = left;
    if (!upload) return undefined;
    const stream = await bucket.get(tailKey(key, upload.tail.name));
    const tail = stream && (await buffer(stream));
    const expected = left.bytes - upload.etags.length * PART_BYTES;
    if (tail?.byteLength !== expected || sha256Of(tail) !== upload.tail.sha256) throw new DamagedDraft(key);
    const own = left.bytes - sumBytes(upload.before);
    const segments = [...upload.before, { bytes: own, sha256: left.sha256 }];
    return new S3File(bucket, key, writer, { upload, segments, tail });
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk);
    this.bytes += chunk.byteLength;
    for (let at = 0; at < chunk.byteLength;) {
      const piece = chunk.subarray(at, at + PART_BYTES - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      at += piece.byteLength;
      if (this.#filled === PART_BYTES) await this.#sendPart();
    }
  }

  async keep(): Promise<KeptBytes> {
    const { bytes } = this;
    const tail = this.#part.subarray(0, this.#filled);
    const name = `${this.#writer}.${bytes}${UNFINISHED}`;
    await this.#bucket.put(tailKey(this.#key, name), tail);
    // The one before is in the books until this one is.
    await this.#bucket.remove(
      this.#tails.splice(0, this.#tails.length - 1).map((each) => tailKey(this.#key, each)),
    );
    this.#tails.push(name);
    return {
      bytes,
      sha256: this.#hash.copy().digest('hex'),
      upload: {
        id: this.#uploadId,
        etags: [...this.#etags],
        tail: { name, sha256: sha256Of(tail) },
        before: [...this.#before],
      },
    };
  }

  async finish(): Promise<string> {
    await this.#complete();
    const own = this.#hash.digest('hex');
    const sha256 = this.#before.length === 0 ? own : await this.#readBack(own);
    await this.#bucket.removeAll(`${this.#key}.`, UNFINISHED);
    return sha256;
  }

  /** What a draft may name stays: whoever takes the export up goes on with it. */
  async abandon(): Promise<void> {
    if (this.#uploadId !== null && this.#tails.length === 0)
      await this.#bucket.abort(this.#key, this.#uploadId);
  }

  async #sendPart(): Promise<void> {
    const { client, name: Bucket } = this.#bucket;
    const object = { Bucket, Key: this.#key };
    if (this.#uploadId === null) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
      if (UploadId === undefined) throw new Error('the store began an upload and did not name it');
      this.#uploadId = UploadId;
    }
    const { ETag } = await client
      .send(
        new UploadPartCommand({
          ...object,
          UploadId: this.#uploadId,
          PartNumber: this.#etags.length + 1,
          Body: this.#part.subarray(0, this.#filled),
        }),
      )
      .catch((error: unknown) => this.#throwDamaged(error));
    if (ETag === undefined) throw new Error('the store took a part of an upload and did not name it');
    this.#etags.push(ETag);
    this.#filled = 0;
  }

  async #complete(): Promise<void> {
    if (this.#uploadId === null) return this.#bucket.put(this.#key, this.#part.subarray(0, this.#filled));
    if (this.#filled > 0) await this.#sendPart();
    const { client, name: Bucket } = this.#bucket;
    await client
      .send(
        new CompleteMultipartUploadCommand({
          Bucket,
          Key: this.#key,
          UploadId: this.#uploadId,
          MultipartUpload: { Parts: this.#etags.map((ETag, at) => ({ ETag, PartNumber: at + 1 })) },
        }),
      )
      .catch((error: unknown) => this.#throwDamaged(error));
  }

  /**
   * Nobody knows the SHA-256 of a file that two have written: it is that of what the bucket has, which is what each of them wrote. An
   * object that is not stays until the file that is begun again is written over it: another writer may have put it in place.
   */
  async #readBack(own: string): Promise<string> {
    const stream = await this.#bucket.get(this.#key);
    const segments = [...this.#before, { bytes: this.bytes - sumBytes(this.#before), sha256: own }];
    const sha256 = stream && (await hashSegments(stream, segments));
    if (sha256 === undefined) throw new DamagedDraft(this.#key);
    return sha256;
  }

  #throwDamaged(error: unknown): never {
    if (error instanceof S3ServiceException && GONE.has(error.name)) throw new DamagedDraft(this.#key, error);
    throw error;
  }
}

/** What a store answers when it has not what was uploaded. */
const GONE = new Set(['NoSuchUpload', 'InvalidPart']);

const tailKey = (key: string, name: string): string => `${key}.${name}`;
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const sumBytes = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { bytes }) => sum + bytes, 0);
