import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { S3Bucket } from './s3-bucket.ts';
import { S3File } from './s3-file.ts';
import type { ExportStorage, LeftBytes } from './storage.ts';

export interface S3Location {
  readonly bucket: string;
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKey?: string | undefined;
  readonly secret?: string | undefined;
  readonly prefix: string;
}

/** Objects of a bucket. */
export class S3Storage implements ExportStorage {
  readonly #bucket: S3Bucket;
  readonly #prefix: string;

  constructor({ endpoint, region, accessKey, secret, bucket, prefix }: S3Location) {
    const client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(accessKey === undefined || secret === undefined
        ? {}
        : { credentials: { accessKeyId: accessKey, secretAccessKey: secret } }),
      // Stores that are not AWS know none of the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    this.#bucket = new S3Bucket(client, bucket);
    this.#prefix = prefix;
  }

  /** Who wrote it before can no longer complete it. */
  async create(jobId: string, name: string, writer: string): Promise<S3File> {
    const key = this.#key(jobId, name);
    await this.#bucket.abortAll(key);
    return new S3File(this.#bucket, key, writer);
  }

  async resume(jobId: string, left: LeftBytes, writer: string): Promise<S3File | undefined> {
    const key = this.#key(jobId, left.name);
    const file = await S3File.resume(this.#bucket, key, left, writer);
    if (file) await this.#bucket.abortAll(key, left.upload?.id);
    return file;
  }

  read(jobId: string, name: string, range: { start: number; end: number }): Promise<Readable | undefined> {
    if (range.end < range.start) return Promise.resolve(Readable.from([]));
    return this.#bucket.get(this.#key(jobId, name), range);
  }

  async remove(jobId: string, left?: Pick<LeftBytes, 'name' | 'upload'>): Promise<void> {
    const prefix = this.#key(jobId, '');
    // Uploads first: one that were completed meanwhile would leave an object.
    await this.#bucket.abortAll(prefix);
    if (left?.upload?.id) await this.#bucket.abort(this.#key(jobId, left.name), left.upload.id);
    await this.#bucket.removeAll(prefix);
  }

  close(): void {
    this.#bucket.client.destroy();
  }

  #key(jobId: string, name: string): string {
    return `${this.#prefix}${jobId}/${name}`;
  }
}
