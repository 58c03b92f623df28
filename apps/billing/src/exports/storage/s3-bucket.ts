import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

/** Objects of a bucket, and uploads of such, by their keys. */
export class S3Bucket {
  readonly client: S3Client;
  readonly name: string;

  constructor(client: S3Client, name: string) {
    this.client = client;
    this.name = name;
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket: this.name, Key: key, Body: body }));
  }

  /** An object, or a range of its bytes; undefined when it is not there. */
  async get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    try {
      const { Body } = await this.client.send(
        new GetObjectCommand({
          Bucket: this.name,
          Key: key,
          ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
        }),
      );
      return Body instanceof Readable ? Body : undefined;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  /** Deletes what begins so, and ends so. */
  async removeAll(prefix: string, suffix = ''): Promise<void> {
    let token: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.name, Prefix: prefix, ContinuationToken: token }),
      );
      await this.remove((page.Contents ?? []).flatMap(({ Key = '' }) => (Key.endsWith(suffix) ? [Key] : [])));
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.client.send(
      new DeleteObjectsCommand({ Bucket: this.name, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
    );
  }

  /**
   * Aborts uploads of objects whose keys begin so. A store that does not list them, or lets us not, is no error: a rule of the bucket
   * ends them. MinIO lists those of one whole key only.
   */
  async abortAll(prefix: string, except?: string | null): Promise<void> {
    const { Uploads: found = [] } = await this.client
      .send(new ListMultipartUploadsCommand({ Bucket: this.name, Prefix: prefix }))
      .catch(ifRefused({ Uploads: [] }));
    for (const { Key, UploadId } of found)
      if (Key !== undefined && UploadId !== undefined && UploadId !== except) await this.abort(Key, UploadId);
  }

  /** An upload that is gone is no error. */
  async abort(key: string, uploadId: string): Promise<void> {
    await this.client
      .send(new AbortMultipartUploadCommand({ Bucket: this.name, Key: key, UploadId: uploadId }))
      .catch(ifRefused(undefined));
  }
}

const NOT_IMPLEMENTED = 501;

/** Goes on with this where the store answered that it does not do what it was asked for. */
const ifRefused =
  <T>(answer: T) =>
  (error: unknown): T => {
    const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;
    if ((status >= 400 && status < 500) || status === NOT_IMPLEMENTED) return answer;
    throw error;
  };
