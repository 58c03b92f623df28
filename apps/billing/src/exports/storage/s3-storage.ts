import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ExportStorage } from './storage.ts';

const PART_BYTES = 8 * 1024 * 1024;

export interface S3Location {
  readonly bucket: string;
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKey?: string | undefined;
  readonly secret?: string | undefined;
  readonly prefix: string;
}

/** Objects of a bucket. A multipart upload is seen only when it is complete. */
export class S3Storage implements ExportStorage {
  /** What there is of an upload cannot be read before it is complete, and so neither be looked at nor its hash gone on with. */
  readonly keepsDrafts = false;
  readonly #client: S3Client;
  readonly #location: S3Location;

  constructor(location: S3Location) {
    const { endpoint, region, accessKey, secret } = location;
    this.#location = location;
    this.#client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(accessKey === undefined || secret === undefined
        ? {}
        : { credentials: { accessKeyId: accessKey, secretAccessKey: secret } }),
      // Stores that are not AWS know none of the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async write(jobId: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#object(jobId, name), Body: Readable.from(bytes, { objectMode: false }) },
      partSize: PART_BYTES,
      queueSize: 1,
    });
    await upload.done();
  }

  readDraft(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async read(
    jobId: string,
    name: string,
    { start, end }: { start: number; end: number },
  ): Promise<Readable | undefined> {
    if (end < start) return Readable.from([]);
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({ ...this.#object(jobId, name), Range: `bytes=${start}-${end}` }),
      );
      return Body instanceof Readable ? Body : undefined;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async remove(jobId: string): Promise<void> {
    const { bucket, prefix } = this.#location;
    const { Contents: found = [] } = await this.#client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${jobId}/` }),
    );
    const keys = found.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
    if (keys.length === 0) return;
    await this.#client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys } }));
    await this.remove(jobId);
  }

  close(): void {
    this.#client.destroy();
  }

  #object(jobId: string, name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#location.bucket, Key: `${this.#location.prefix}${jobId}/${name}` };
  }
}
